#!/bin/sh
# Builds this package's tests for arm64 and runs them here under qemu-user, so that the NEON assembly meets its portable twin
# and its guard pages. Where qemu is missing it says so and succeeds; with --require, which CI gives, it fails.
set -eu
cd "$(dirname "$0")"
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [ -z "$qemu" ]; then
    echo "skipped: no qemu-aarch64 here (Debian: qemu-user)"
    [ "${1:-}" != --require ]
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -c -o "$work/kernels.test" .
"$qemu" "$work/kernels.test" -test.v >"$work/log" || { cat "$work/log"; exit 1; }
# The run is worth nothing if it took the portable path alone.
grep -q 'path neon' "$work/log" || { echo "the tests did not run the neon path"; exit 1; }
echo "arm64: $(grep -c '^--- PASS' "$work/log") tests passed under $("$qemu" --version | head -n 1)"
