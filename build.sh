# Sourced by the scripts beside it: builds $root/bin/envelope, or says what is missing.
need=1.26
if ! command -v go >/dev/null 2>&1; then
	echo "envelope: Go $need or newer is needed to build, and there is no go command in PATH." >&2
	echo "Get it from https://go.dev/dl/ or your distribution's packages, then run this again." >&2
	return 2
fi
have=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null)
have=${have#go}
if [ "$(printf '%s\n' "$need" "${have%%[!0-9.]*}" | sort -V | head -n 1)" != "$need" ]; then
	echo "envelope: Go $need or newer is needed to build, and the go command in PATH is ${have:-of unknown version}." >&2
	echo "Get a newer one from https://go.dev/dl/ or your distribution's packages, then run this again." >&2
	return 2
fi
[ -e "$root/bin/envelope" ] || echo "envelope: building, which the first time fetches modules and can take a minute" >&2
# Built in the checkout, so that the version control facts are stamped in. Where git refuses to give them (a checkout
# of another owner), the build goes on without; the manifest then says unknown, and why.
if ! (cd "$root" && { go build -buildvcs=auto -o bin/envelope . 2>/dev/null || go build -buildvcs=false -o bin/envelope . >&2; }); then
	echo "envelope: the build failed; the lines above say why." >&2
	return 2
fi
