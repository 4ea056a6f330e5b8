#!/bin/sh
# Builds both sides and runs them in turn: ./bench/kernels/run.sh [-n BLOCKS] [-only NAME].
# Needs gcc and OpenBLAS (Debian: libopenblas-dev).
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -std=gnu11 -O3 -march=native -Wall -o "$work/peer" peer/peer.c -lopenblas -lpthread -lm
go build -o "$work/bench" .
"$work/bench" -peer "$work/peer" "$@"
