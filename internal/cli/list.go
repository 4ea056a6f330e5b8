package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"envelope/axioms"
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

func printList(w io.Writer, labs []*lab.Lab) error {
	name, title := 0, 0
	for _, l := range labs {
		name, title = max(name, len(l.Name)), max(title, len(l.Title))
	}
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
		if _, err := fmt.Fprintf(w, "%s  %s  %s  %s\n", bold.Render(typeset.Pad(l.Name, name)), typeset.Pad(string(l.Group), 8), typeset.Pad(l.Title, title), scope); err != nil {
			return err
		}
	}
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
		Use: "show LAB", Short: "a lab's question, axioms, division, claims with their controls, limits",
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
	return nil, fmt.Errorf("no lab is called %q; there are %s", name, strings.Join(names, ", "))
}

// docText turns a lab's doc.go into text: comment marks off, headings bold, the
// bare list of claims replaced by the full one.
func docText(l *lab.Lab) string {
	var b strings.Builder
	text, _, _ := strings.Cut(l.Doc, "\npackage ")
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(line, "\n"), "//"), " ")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			line = bold.Render(heading)
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

func printShow(w io.Writer, l *lab.Lab) error {
	text := docText(l)
	before, rest, _ := strings.Cut(text, bold.Render("Claims")+"\n")
	_, limits, _ := strings.Cut(rest, bold.Render("Limits")+"\n")
	fmt.Fprintf(w, "%s  %s\n\n%s\n", bold.Render(l.Name), l.Title, strings.TrimSpace(before))
	fmt.Fprintf(w, "\n%s\n", bold.Render("Axioms assumed"))
	if len(l.Axioms) == 0 {
		fmt.Fprintln(w, "  none")
	}
	for _, name := range l.Axioms {
		c, err := axioms.Lookup(name)
		if err != nil {
			return err
		}
		value := c.Quantity.String()
		if c.Ranged() {
			value = c.Low.String() + " to " + c.High.String()
		}
		fmt.Fprintf(w, "  %s  %s  %s; %s\n", typeset.Pad(c.Name, 14), typeset.Pad(value, 20), c.Class, c.Source)
	}
	fmt.Fprintf(w, "\n%s\n", bold.Render("Questions"))
	for _, q := range l.Questions {
		fmt.Fprintf(w, "  %s/%s\n    %s\n", l.Name, q.Name, q.Text)
		width := 10
		for _, c := range q.Candidates {
			width = max(width, typeset.Width(c.Value.String()))
		}
		for _, c := range q.Candidates {
			fmt.Fprintf(w, "      %s  %s\n", typeset.Pad(c.Value.String(), width), c.Text)
		}
	}
	fmt.Fprintf(w, "\n%s\n", bold.Render("Claims"))
	for i := range l.Claims {
		printClaim(w, l, &l.Claims[i])
	}
	_, err := fmt.Fprintf(w, "\n%s\n%s\n", bold.Render("Limits"), strings.TrimSpace(limits))
	return err
}

// kinds says for people how a claim's observations become an interval.
var kinds = map[measure.Kind]string{
	measure.Exact:      "every observation",
	measure.Comparison: "median of blocks",
	measure.Binomial:   "share of trials",
}

func printClaim(w io.Writer, l *lab.Lab, c *lab.Claim) {
	fmt.Fprintf(w, "  %s  (%s, version %d)\n    %s\n", bold.Render(c.Name), c.Scope, c.Version, c.Text)
	fmt.Fprintf(w, "    observed: %s\n    holds where %s is %s\n", c.Observed, kinds[c.Kind], c.Region)
	if c.Guard != nil {
		fmt.Fprintf(w, "    guard: %s\n", c.Guard.Text)
	}
	if len(c.RestsOn) > 0 {
		fmt.Fprintf(w, "    rests on: %s\n", strings.Join(c.RestsOn, ", "))
	}
	for _, name := range l.ControlsOf(c.Name) {
		k := l.Control(name)
		fmt.Fprintf(w, "    fails when: %s (%s)\n", k.Text, k.Name)
		if k.Dose != nil {
			fmt.Fprintf(w, "      dose %s: %s\n", typeset.Number(k.Dose.Default), k.Dose.Text)
		}
	}
}
