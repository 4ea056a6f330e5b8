package drill

import "strings"

// section is what stands under one heading.
type section struct {
	title  string
	line   int
	blocks []block   // up to the first heading below it
	parts  []section // "### " headings below it
}

// block is a paragraph or an item of a list, on one line.
type block struct {
	text string
	line int
}

// sections splits a document at its "## " and "### " headings, and leaves out
// what stands before the first.
func sections(text []byte) []section {
	var all []section
	var here *section // that blocks are added to
	fresh := true     // the next line begins a block
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		switch title, below := strings.CutPrefix(line, "### "); {
		case strings.HasPrefix(line, "## "):
			all = append(all, section{title: strings.TrimSpace(line[3:]), line: i + 1})
			here, fresh = &all[len(all)-1], true
		case len(all) == 0:
		case below:
			top := &all[len(all)-1]
			top.parts = append(top.parts, section{title: strings.TrimSpace(title), line: i + 1})
			here, fresh = &top.parts[len(top.parts)-1], true
		case line == "":
			fresh = true
		case fresh || item.MatchString(line):
			here.blocks = append(here.blocks, block{line, i + 1})
			fresh = false
		default:
			here.blocks[len(here.blocks)-1].text += " " + line
		}
	}
	return all
}
