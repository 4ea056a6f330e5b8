package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"sync"

	"envelope/manifest"
)

// Write makes the page of a run. The same run gives the same bytes. Nothing is
// written where it returns an error but that of w: what it shows must have been
// verified, and is otherwise shown as it is.
func Write(w io.Writer, run manifest.Run) error {
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, "page", newPage(scrub(run))); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// The page as a template, with the styles that are put into it.
//
//go:embed page.tmpl
var pageText string

//go:embed style.css
var style string

// templates are parsed when a page is made, so that no other command waits for it.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
	}).Parse(pageText))
})
