package report

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"envelope/internal/host"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// attack is what somebody who writes a manifest by hand may put into a text.
var attack = strings.Join([]string{
	`<script>alert(1)</script>`, `"><img src=https://evil.example/x onerror=alert(1)>`, `'><svg onload=alert(1)><a href=javascript:alert(1)>`,
	`</title></desc></text></svg></style></table><iframe src=//evil.example></iframe>`, `<!--`, `]]>`, `url(https://evil.example/y)`, `javascript:alert(1)`,
	`{{.Run}}`, `&lt;b&gt;&#60;i&#62;`, "\x1b[2J\x00\x07\r\n\u0085", "\u202eeman\u2066\u200b\ufeff\u2028", "\xff\xfe", "a" + strings.Repeat("\u0301", 99), "`-->",
}, " ")

// hostile is that before and behind a text without end, which is cut to begin and
// end with it; mild is a harmless text that takes the same room.
var (
	hostile = attack + strings.Repeat("A", 1<<20) + attack
	mild    = strings.Repeat("m", typeset.Width(clean(hostile)))
)

// rewriter puts texts into every string at some paths of a value.
type rewriter struct {
	text  string
	at    string          // what the paths begin with that are rewritten, "" for all
	paths map[string]bool // every path that a string was met at
}

// rewrite returns a copy of v with its strings rewritten. A path has the names of
// fields, and a star for any index or key.
func (r *rewriter) rewrite(path string, v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		r.paths[path] = true
		if strings.HasPrefix(path, r.at) {
			out.SetString(r.text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out.Field(i).Set(r.rewrite(path+"."+f.Name, v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(r.rewrite(path, v.Elem()))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Float64 {
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(r.rewrite(path+"*", v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMap(v.Type()))
		keys := v.MapKeys() // in order: keys become equal, and always the same stays
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			out.SetMapIndex(r.rewrite(path+".key", k), r.rewrite(path+"*", v.MapIndex(k)))
		}
	}
	return out
}

func rewritten(run manifest.Run, at, text string) (manifest.Run, map[string]bool) {
	r := &rewriter{text: text, at: at, paths: map[string]bool{}}
	return r.rewrite("", reflect.ValueOf(run)).Interface().(manifest.Run), r.paths
}

// crowded is a run in which every text field of the types has something in it.
func crowded(t testing.TB) manifest.Run {
	t.Helper()
	run := testRun(t, "predicted")
	run.Labs = append(run.Labs, testRun(t, "held").Labs[0])
	run.Predictions[0].Why = "it was cached"
	run.Predictions[0].Derivation.Error = "none"
	l := &run.Labs[0]
	l.Error, l.Questions[0].Derivation.Error = "an error", "none"
	l.Claims = l.Claims[5:] // one that held, and the one with a guard
	c := &l.Claims[1]
	c.System, c.Detail, c.RestsOn, c.Reason = "linux", "a detail", []string{"buffered/x"}, "noisy"
	e := *c.Evidence
	e.Values = "none"
	e.Parts = []manifest.Part{{Name: "a part", A: e.A, B: e.B}}
	c.Evidence, c.Retest = &e, &e
	fill(reflect.ValueOf(&run.Environment).Elem())
	fill(reflect.ValueOf(&run.EnvironmentEnd).Elem())
	for i := range l.Conditions {
		fill(reflect.ValueOf(&l.Conditions[i]).Elem())
	}
	run.Program.Commit.Unknown, run.Program.Dirty.Unknown = "unknown", "unknown"
	run.Axioms[0].Taken = time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	return run
}

// fill gives every fact a value, a source and a reason why it is not known.
func fill(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	if at := v.FieldByName("Value"); at.IsValid() && at.Kind() == reflect.Pointer {
		if at.IsNil() {
			at.Set(reflect.New(at.Type().Elem()))
		}
		switch x := at.Interface().(type) {
		case *[]string:
			*x = []string{"one"}
		case *[]host.Cache:
			*x = []host.Cache{{Level: 1, Type: "Data", Size: 1}}
		case *[]host.Layer:
			*x = []host.Layer{{Device: "vda", Kind: "disk", Name: "x"}}
		case *[]host.Disk:
			d := host.Disk{Name: "vda"}
			fill(reflect.ValueOf(&d).Elem())
			*x = []host.Disk{d}
		}
		for _, name := range []string{"Source", "Unknown"} {
			v.FieldByName(name).SetString("said")
		}
		return
	}
	for i := range v.NumField() {
		fill(v.Field(i))
	}
}

// textPaths are the paths of every string that the type can hold.
func textPaths(path string, typ reflect.Type, out map[string]bool) {
	switch typ.Kind() {
	case reflect.String:
		out[path] = true
	case reflect.Struct:
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				textPaths(path+"."+f.Name, f.Type, out)
			}
		}
	case reflect.Pointer:
		textPaths(path, typ.Elem(), out)
	case reflect.Slice:
		textPaths(path+"*", typ.Elem(), out)
	case reflect.Map:
		textPaths(path+".key", typ.Key(), out)
		textPaths(path+"*", typ.Elem(), out)
	}
}

// Whatever a text of a manifest is, the page has the elements and attributes that
// it has with a harmless word in its place, and nothing that hides, reorders or
// leads out of the page. Each field of the types has its turn, then all together.
func TestHostileText(t *testing.T) {
	run := crowded(t)
	_, met := rewritten(run, "none", "")
	all := map[string]bool{}
	textPaths("", reflect.TypeFor[manifest.Run](), all)
	for path := range all {
		if !met[path] {
			t.Errorf("no run of this test has a text at %s", path)
		}
	}
	paths := []string{""}
	for path := range met {
		// Facts are read through one door, so those of one part have one turn.
		for _, part := range []string{".Environment.System", ".Environment.CPU", ".Environment.Target", ".Environment", ".Labs*.Conditions*"} {
			if strings.HasPrefix(path, part) {
				path = part
			}
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for _, path := range paths {
		tame, _ := rewritten(run, path, mild)
		wild, _ := rewritten(run, path, hostile)
		page := pageOf(t, wild)
		if strings.Contains(page, strings.Repeat("A", ends+1)) {
			t.Errorf("a text of 1 MiB at %q is on the page", path)
		}
		want, got := skeleton(t, pageOf(t, tame)), skeleton(t, page)
		if want != got {
			at := 0
			for at < len(want) && at < len(got) && want[at] == got[at] {
				at++
			}
			t.Errorf("a hostile text at %q changes the page: got %q, want %q", path, excerpt(got, at), excerpt(want, at))
		}
	}
	page := pageOf(t, run)
	if fault := nested(page); fault != "" {
		t.Error(fault)
	}
}

// The words of a picture are text too. Most are this package's own, and long ones are
// cut, so that a name that fits is tried here.
func TestHostileWords(t *testing.T) {
	const name = "<script>1<b>"
	run := whole(t)
	run.Labs = []manifest.Lab{*labOf(&run, "barrier")}
	l := &run.Labs[0]
	for i := range l.Series {
		if l.Series[i].Name == "pwrite, fsync" {
			l.Series[i].Name = "pwrite " + name
		}
	}
	v := *l.Questions[0].Measured
	l.Questions[0].Name = name
	run.Predictions = []manifest.Prediction{{Question: "barrier/" + name, Value: 2 * v, Unit: l.Questions[0].Unit, Attempt: 1}}
	page := pageOf(t, run)
	skeleton(t, page)
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "text" {
			found[textOf(n)] = true
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	if !found[name] {
		t.Errorf("got no picture with the words %q", name)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(s string) bool { return strings.HasPrefix(s, "pwrite "+name+": ") }) {
		t.Errorf("got no row called pwrite %q", name)
	}
}

// skeleton is the elements of a page with the names of their attributes, and fails
// where anything of it can do more than be looked at.
func skeleton(t *testing.T, page string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.ElementNode:
			b.WriteString("<" + n.Data)
			for _, a := range n.Attr {
				b.WriteString(" " + a.Key)
				harmless(t, n.Data, a)
			}
		case html.CommentNode:
			t.Errorf("a comment: %q", n.Data)
		case html.TextNode:
			if r := strings.IndexFunc(n.Data, sneaky); r >= 0 && n.Parent.Data != "style" {
				t.Errorf("%q has a character that hides or reorders", n.Data)
			}
			if n.Parent.Data == "style" && n.Data != style {
				t.Error("the styles are not those of the package")
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return b.String()
}

func sneaky(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// elements and attributes are all that a page is made of.
var (
	elements = strings.Fields(`html head meta title style body header main footer section article div p h1 h2 h3 h4 a b i strong span code ul li dl dt dd
table caption thead tbody tr th td figure figcaption details summary svg desc path text`)
	attributes = strings.Fields(`lang charset http-equiv content name class id href title scope colspan role tabindex aria-label aria-labelledby aria-hidden open
viewBox d x y text-anchor`)
)

func harmless(t *testing.T, element string, a html.Attribute) {
	t.Helper()
	switch {
	case !slices.Contains(elements, element), !slices.Contains(attributes, a.Key), a.Namespace != "":
		t.Errorf("<%s %s=%q> is nothing that a page has", element, a.Key, a.Val)
	case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
		t.Errorf("a link leads to %q", a.Val)
	case a.Key == "class" && strings.Trim(a.Val, " abcdefghijklmnopqrstuvwxyz") != "", a.Key == "id" && strings.Trim(a.Val, "abcdlt0123456789") != "":
		t.Errorf("the data made %s=%q", a.Key, a.Val)
	case a.Key != "title" && (strings.Contains(a.Val, "evil") || strings.Contains(a.Val, "mmm")), a.Key == "d" && strings.Trim(a.Val, "MLHVZhvaz -.0123456789") != "":
		t.Errorf("the data made %s=%q", a.Key, a.Val)
	case strings.ContainsFunc(a.Val, sneaky):
		t.Errorf("%s=%q has a character that hides or reorders", a.Key, a.Val)
	}
}

// The page forbids itself whatever it does not need, and asks for nothing.
func TestPolicy(t *testing.T) {
	page := pageOf(t, testRun(t, "held"))
	const want = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`
	if policy, title := strings.Index(page, want), strings.Index(page, "<title>"); policy < 0 || policy > title {
		t.Error("the policy is not there, or not before what it is about")
	}
	for _, bad := range []string{"url(", "@import", "@font-face", "http:", "https:", "//"} {
		if strings.Contains(style, bad) {
			t.Errorf("the styles have %q", bad)
		}
	}
	for _, bad := range []string{"<script", "<link", "<img", "<iframe", " src=", " style="} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestClean(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	check("300 µs, 日本", "300 µs, 日本")
	check("e\u0301tude", "e\u0301tude")
	check("a"+strings.Repeat("\u0301", 9)+"b", "a"+strings.Repeat("\u0301", stacked)+"b")
	check("\u202eabc\x00", "abc")
	check(strings.Repeat("x ", longest/2), strings.Repeat("x ", longest/2))
	long := strings.Repeat("é", longest) // an odd offset would cut a character
	check(long, strings.Repeat("é", ends/2)+fmt.Sprintf("... (%d bytes left out) ...", len(long)-2*ends)+strings.Repeat("é", ends/2))
}
