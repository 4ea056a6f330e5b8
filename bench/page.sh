#!/usr/bin/env bash
# bench/page.sh PAGE: has a browser draw a page, light and dark, and print it. Demands that it draws something, in
# different colours, and that nothing of the page is refused. Without a browser it says so and ends well: the package of
# one is hundreds of megabytes, so that CI does not install it.
set -eu
page=$(realpath "$1")
browser=
for name in chromium chromium-browser google-chrome; do
	if command -v "$name" >/dev/null 2>&1; then
		browser=$name
		break
	fi
done
[ -n "$browser" ] || { echo "skipped: no chromium here, so no browser has drawn the page"; exit 0; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
draw() {
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$out/profile" --enable-logging=stderr \
		--window-size=1240,2000 "$@" "file://$page" 2>>"$out/log" >>"$out/dom"
}
draw --blink-settings=preferredColorScheme=1 --screenshot="$out/light.png"
draw --blink-settings=preferredColorScheme=0 --screenshot="$out/dark.png"
draw --no-pdf-header-footer --print-to-pdf="$out/page.pdf"
draw --dump-dom
for file in light.png dark.png page.pdf; do
	bytes=$(stat -c %s "$out/$file")
	[ "$bytes" -gt 20000 ] || { echo "$file has $bytes bytes: nothing much is on it"; exit 1; }
	echo "$file: $bytes bytes"
done
if cmp -s "$out/light.png" "$out/dark.png"; then echo "the dark page looks like the light one"; exit 1; fi
if grep -E 'CONSOLE|Refused|Content Security Policy' "$out/log"; then echo "the browser has something to say of the page"; exit 1; fi
grep -q 'id="d1t"' "$out/dom" || { echo "the browser has no picture"; exit 1; }
