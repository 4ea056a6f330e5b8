package manifest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes text from a file fit for a message: control, format and
// other characters that a terminal might obey become "?", and long text is
// cut.
func printable(s string) string {
	const most = 120
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s[:min(len(s), 4*most)])
	if utf8.RuneCountInString(clean) <= most && len(s) <= 4*most {
		return clean
	}
	return string([]rune(clean)[:min(most, utf8.RuneCountInString(clean))]) + "..."
}
