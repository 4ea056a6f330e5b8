package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Every page is sound: each element is closed where it was opened, ids are there
// once, what refers to an id finds it, headings go down one level at a time,
// tables say which cells head others, and every picture has a title and a
// description.
func TestStructure(t *testing.T) {
	for _, name := range fixed {
		sound(t, name, pageOf(t, testRun(t, name)))
	}
	sound(t, "reference", pageOf(t, reference(t)))
}

func sound(t *testing.T, name, page string) {
	t.Helper()
	if fault := nested(page); fault != "" {
		t.Errorf("%s: %s", name, fault)
	}
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := &structure{t: t, name: name, ids: map[string]int{}}
	s.walk(doc)
	for _, ref := range s.refs {
		if s.ids[ref] != 1 {
			t.Errorf("%s: %q is referred to, and is there %d times", name, ref, s.ids[ref])
		}
	}
	for id, n := range s.ids {
		if n > 1 {
			t.Errorf("%s: the id %q is there %d times", name, id, n)
		}
	}
	if s.pictures == 0 || s.tables == 0 || s.headings[1] != 1 {
		t.Errorf("%s: got %d pictures, %d tables and headings %v", name, s.pictures, s.tables, s.headings)
	}
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=\"en\">") {
		t.Errorf("%s: got a page that begins with %q", name, page[:40])
	}
}

// nested finds the first element that is not closed where it should be. What HTML
// does not close is written so, and SVG closes itself.
func nested(page string) string {
	void := []string{"meta", "br", "hr", "img", "link", "input"}
	z := html.NewTokenizer(strings.NewReader(page))
	var open []string
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return fmt.Sprintf("at the end %v are open", open)
			}
			return ""
		case html.StartTagToken:
			tag, _ := z.TagName()
			if name := string(tag); !slices.Contains(void, name) {
				open = append(open, name)
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			if n := len(open); n == 0 || open[n-1] != string(tag) {
				return fmt.Sprintf("</%s> closes %v", tag, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// structure is what is seen of a page on the way through it.
type structure struct {
	t                *testing.T
	name             string
	ids              map[string]int
	refs             []string
	level            int // of the last heading
	headings         [7]int
	tables, pictures int
}

func (s *structure) walk(n *html.Node) {
	if n.Type == html.ElementNode {
		s.element(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s.walk(c)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (s *structure) element(n *html.Node) {
	if id := attribute(n, "id"); id != "" {
		s.ids[id]++
	}
	s.refs = append(s.refs, strings.Fields(attribute(n, "aria-labelledby"))...)
	switch n.Data {
	case "a":
		ref, ok := strings.CutPrefix(attribute(n, "href"), "#")
		if !ok {
			s.t.Errorf("%s: a link leads to %q", s.name, attribute(n, "href"))
		}
		s.refs = append(s.refs, ref)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		level := int(n.Data[1] - '0')
		if level > s.level+1 {
			s.t.Errorf("%s: h%d follows h%d: %q", s.name, level, s.level, textOf(n))
		}
		s.level = level
		s.headings[level]++
	case "table":
		s.tables++
		if first(n, "caption") == nil {
			s.t.Errorf("%s: a table has no caption", s.name)
		}
	case "th":
		if scope := attribute(n, "scope"); !slices.Contains([]string{"col", "row", "rowgroup"}, scope) {
			s.t.Errorf("%s: the header %q has the scope %q", s.name, textOf(n), scope)
		}
	case "svg":
		s.pictures++
		ids := strings.Fields(attribute(n, "aria-labelledby"))
		title, desc := first(n, "title"), first(n, "desc")
		switch {
		case title == nil || desc == nil || textOf(title) == "" || textOf(desc) == "":
			s.t.Errorf("%s: a picture lacks its title or its description", s.name)
		case len(ids) != 2 || attribute(title, "id") != ids[0] || attribute(desc, "id") != ids[1]:
			s.t.Errorf("%s: the picture %q is labelled by %v", s.name, textOf(title), ids)
		}
	}
}

// first finds the first element of that name inside another.
func first(n *html.Node, name string) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == name {
			return c
		}
		if f := first(c, name); f != nil {
			return f
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}
