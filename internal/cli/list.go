package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/typeset"
)

func (a *app) listCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "list", Short: "the labs, their groups and how many claims each makes", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "text":
				return printList(a.out, a.Labs)
			case "json":
				return printListJSON(a.out, a.Labs)
			}
			return fmt.Errorf("--format %q is none of text, json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func printList(w page, labs []*lab.Lab) error {
	name := 0
	for _, l := range labs {
		name = max(name, len(l.Name))
	}
	var rows []entry
	for _, l := range labs {
		machine := 0
		for _, c := range l.Claims {
			if c.Scope == lab.Machine {
				machine++
			}
		}
		scope := plural(machine, "claim") + " about the machine"
		if machine < len(l.Claims) {
			scope = fmt.Sprintf("%d about the machine, %d about a program", machine, len(l.Claims)-machine)
		}
		if machine == 0 {
			scope = plural(len(l.Claims), "claim") + " about a program"
		}
		rows = append(rows, entry{mark: bold.Render(typeset.Pad(l.Name, name)) + "  ", cells: []string{string(l.Group), l.Title}, text: scope})
	}
	w.entries(rows...)
	return nil
}

// listed is a lab in list --format json.
type listed struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Group  string   `json:"group"`
	Claims []string `json:"claims"`
}

func printListJSON(w io.Writer, labs []*lab.Lab) error {
	out := []listed{}
	for _, l := range labs {
		e := listed{Name: l.Name, Title: l.Title, Group: string(l.Group)}
		for _, c := range l.Claims {
			e.Claims = append(e.Claims, c.Name)
		}
		out = append(out, e)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show LAB", Short: "a lab's question, axioms, division, claims, controls, limits",
		ValidArgsFunction: a.completeLabs,
		Args:              one("the name of one lab (envelope list has them)", "envelope show barrier"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.lab(args[0])
			if err != nil {
				return err
			}
			return printShow(a.out, l)
		},
	}
}

// lab returns the lab of that name.
func (a *app) lab(name string) (*lab.Lab, error) {
	var names []string
	for _, l := range a.Labs {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return nil, fmt.Errorf("no lab is called %q%s", name, driver.ThereAre(name, names))
}

// docText is a lab's doc.go without its comment marks.
func docText(l *lab.Lab) string {
	var b strings.Builder
	text, _, _ := strings.Cut(l.Doc, "\npackage ")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	return strings.TrimSpace(b.String())
}

func printShow(w page, l *lab.Lab) error {
	text := docText(l)
	// The bare list of the claims gives way to the full one.
	before, rest, _ := strings.Cut(text, "# Claims\n")
	_, limits, _ := strings.Cut(rest, "# Limits\n")
	fmt.Fprintf(w, "%s  %s\n\n", bold.Render(l.Name), l.Title)
	w.doc(before)
	fmt.Fprintf(w, "\n%s\n", bold.Render("Axioms assumed"))
	if len(l.Axioms) == 0 {
		fmt.Fprintln(w, "  none")
	}
	for _, name := range l.Axioms {
		c, err := axioms.Lookup(name)
		if err != nil {
			return err
		}
		value := typeset.Quantity(c.Quantity)
		if c.Ranged() {
			value = typeset.Quantity(c.Low) + " to " + typeset.Quantity(c.High)
		}
		w.say(fmt.Sprintf("  %s  %s  ", typeset.Pad(c.Name, 14), typeset.Pad(value, 16)), c.Class+"; "+c.Source)
	}
	fmt.Fprintf(w, "\n%s\n", bold.Render("Questions"))
	for _, q := range l.Questions {
		fmt.Fprintf(w, "  %s/%s\n", l.Name, q.Name)
		w.say("    ", q.Text)
		width := 10
		for _, c := range q.Candidates {
			width = max(width, typeset.Width(typeset.Quantity(c.Value)))
		}
		for _, c := range q.Candidates {
			w.say("      "+typeset.Pad(typeset.Quantity(c.Value), width)+"  ", c.Text)
		}
	}
	fmt.Fprintf(w, "\n%s\n", bold.Render("Claims"))
	for i := range l.Claims {
		printClaim(w, l, &l.Claims[i])
	}
	fmt.Fprintf(w, "\n%s\n", bold.Render("Limits"))
	w.doc(limits)
	return nil
}

// kinds says for people how a claim's observations become an interval.
var kinds = map[measure.Kind]string{
	measure.Exact:      "every observation",
	measure.Comparison: "median of blocks",
	measure.Binomial:   "share of trials",
}

func printClaim(w page, l *lab.Lab, c *lab.Claim) {
	w.say("  "+bold.Render(c.Name)+"  ", fmt.Sprintf("(%s, version %d)", c.Scope, c.Version))
	w.say("    ", c.Text)
	fact := func(key, text string) { w.fold("    ", key+": "+text) }
	fact("observed", c.Observed)
	w.fold("    ", "holds where "+kinds[c.Kind]+" is "+typeset.Region(c.Region, c.Unit))
	if c.Guard != nil {
		fact("guard", c.Guard.Text)
	}
	if c.System != "" {
		fact("told by", c.System+" alone")
	}
	if len(c.RestsOn) > 0 {
		fact("rests on", strings.Join(c.RestsOn, ", "))
	}
	for _, name := range l.ControlsOf(c.Name) {
		k := l.Control(name)
		fact("fails when", fmt.Sprintf("%s (%s)", k.Text, k.Name))
		if k.Dose != nil {
			w.fold("      ", fmt.Sprintf("dose %s: %s", typeset.Number(k.Dose.Default), k.Dose.Text))
		}
	}
}
