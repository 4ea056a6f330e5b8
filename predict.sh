#!/usr/bin/env bash
# Builds envelope once and asks for predictions before it measures: ./predict.sh [--dir DIR] [LAB or GROUP...]
# Arguments and the exit code are passed through unchanged.
set -u
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit 2
. "$root/build.sh" || exit 2
exec "$root/bin/envelope" predict "$@"
