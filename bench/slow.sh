#!/usr/bin/env bash
# The storage labs on a file system whose fsync takes 20 ms longer (bench/slowfs). Prints how long they took, and fails
# only if a claim does, or if the manifest does not verify.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d "$PWD/.envelope-slow-XXXXXX")
mkdir "$work/backing" "$work/mount"
go build -o "$work/slowfs" ./bench/slowfs
go build -o bin/envelope .
"$work/slowfs" -delay "${1:-20ms}" "$work/backing" "$work/mount" >"$work/log" 2>&1 &
server=$!
cleanup() {
	kill "$server" 2>/dev/null || true
	wait "$server" 2>/dev/null || true
	mountpoint -q "$work/mount" && umount "$work/mount"
	rm -rf "$work"
}
trap cleanup EXIT
for _ in $(seq 100); do
	grep -q mounted "$work/log" && break
	kill -0 "$server" 2>/dev/null || { cat "$work/log"; echo "no FUSE here: the slow disk was not tried"; [ -z "${CI:-}" ] && exit 0; exit 1; }
	sleep 0.1
done
start=$(date +%s%N)
code=0
bin/envelope run storage --dir "$work/mount" --results "$work/results.json" || code=$?
took=$(( ($(date +%s%N) - start) / 1000000 ))
echo "exit $code after $took ms"
[ $code = 0 ] || [ $code = 3 ] || exit 1
bin/envelope verify "$work/results.json"
