#!/usr/bin/env bash
# Many default runs in a row: 20 as the machine is, then 10 beside four busy loops and a writer of 1 GiB. Prints exit
# codes and verdicts by group, and fails if any claim failed.
#   bash bench/soak.sh [QUIET [LOADED [DIR]]]
set -eu
cd "$(dirname "$0")/.."
quiet=${1:-20} loaded=${2:-10} dir=${3:-.}
work=$(mktemp -d "$dir/.envelope-soak-XXXXXX")
go build -o "$work/envelope" .
load=()
cleanup() {
	[ ${#load[@]} = 0 ] || kill "${load[@]}" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

runs() { # NAME N
	for i in $(seq "$2"); do
		code=0
		"$work/envelope" run --dir "$work" --results "$work/$1.json" >"$work/out" 2>/dev/null || code=$?
		echo "$1 $i: exit $code, $(tail -n 1 "$work/out")"
		grep -E '^  (void|FAILED) ' "$work/out" | grep -v ' unreachable: ' | sed "s/^/    /" || true
		echo "$code" >>"$work/$1.codes"
	done
	"$work/envelope" verify "$work/$1.json"
	sort "$work/$1.codes" | uniq -c | sed "s/^/$1: runs with exit code: /"
}

[ "$quiet" = 0 ] || runs quiet "$quiet"
if [ "$loaded" -gt 0 ]; then
	for _ in 1 2 3 4; do
		(while :; do :; done) &
		load+=($!)
	done
	(
		trap 'kill $! 2>/dev/null; exit' TERM
		while :; do
			dd if=/dev/urandom of="$work/hog" bs=1M count=1024 conv=fsync status=none &
			wait $!
		done
	) &
	load+=($!)
	runs loaded "$loaded"
fi
! cat "$work"/*.codes | grep -qx 1
