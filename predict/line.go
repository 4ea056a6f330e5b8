package predict

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/typeset"
)

// lineWidth is line mode's width where none is given.
const lineWidth = 80

// maxLine is the longest line that is read as an answer, in bytes.
const maxLine = 4096

// patience is how many lines that can't be read a script may give to one question:
// some are blank or comments, and an endless stream has no answer.
const patience = 100

// Streams are what line mode reads and writes.
type Streams struct {
	In   io.Reader
	Out  io.Writer // the questions and the reveal
	Note io.Writer // progress
	// Width is the columns that lines may take; 0 is 80.
	Width int
	// Interactive says that somebody sits behind In: he is asked why he was
	// off, too. A script isn't, so that its lines are answers and nothing else.
	Interactive bool
}

// liner is one sitting in line mode.
type liner struct {
	*Options
	Streams
	set   axioms.Set
	lines chan string
	ended error // why lines was closed
}

// Lines holds a sitting in lines of text: one answer to a line, asked for again
// while it can't be read. Where the input ends before an answer it is an error,
// and nothing of that lab is registered.
func Lines(ctx context.Context, o *Options, s Streams) error {
	if err := o.Check(); err != nil {
		return err
	}
	l := &liner{Options: o, Streams: s, lines: make(chan string)}
	l.Width = cmp.Or(l.Width, lineWidth)
	fmt.Fprintln(l.Note, "measuring this machine's axioms")
	set, err := o.Runner.Prepare(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ErrStopped
	}
	l.set = set
	go l.read(ctx)
	for _, lab := range o.Labs {
		if err := l.round(ctx, lab); err != nil {
			return err
		}
	}
	l.print("", "All your predictions")
	for _, line := range append(recordLines(o.Ledger.History()), factorPlot(o.Ledger.History(), l.Width, 9)...) {
		l.print("  " + line)
	}
	return nil
}

// read hands over the input line by line: a read can't be interrupted, but the
// wait for its line can.
func (l *liner) read(ctx context.Context) {
	defer close(l.lines)
	in := bufio.NewScanner(l.In)
	in.Buffer(make([]byte, 0, 512), maxLine)
	for in.Scan() {
		select {
		case l.lines <- in.Text():
		case <-ctx.Done():
			return
		}
	}
	if l.ended = in.Err(); errors.Is(l.ended, bufio.ErrTooLong) {
		l.ended = fmt.Errorf("a line of the input is longer than %d bytes", maxLine)
	}
}

// next returns the next line. Its error is io.EOF, ErrStopped, or says what is
// wrong with the input.
func (l *liner) next(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ErrStopped
	case line, ok := <-l.lines:
		switch {
		case ok:
			return line, nil
		case l.ended != nil:
			return "", l.ended
		case ctx.Err() != nil:
			return "", ErrStopped
		}
		return "", io.EOF
	}
}

// print writes lines with the space at their ends dropped.
func (l *liner) print(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(l.Out, strings.TrimRight(line, " "))
	}
}

// round takes one lab from its first question to its reveal.
func (l *liner) round(ctx context.Context, b *lab.Lab) error {
	var guesses []Guess
	for i := range b.Questions {
		g, err := l.ask(ctx, b, i)
		if err != nil {
			return err
		}
		guesses = append(guesses, g)
	}
	c, err := l.commit(b, guesses)
	if err != nil {
		return err
	}
	l.print("")
	l.print(typeset.Wrap("Registered before anything of this lab is measured:", l.Width)...)
	l.print(c.Hash)
	l.print(typeset.Wrap(hashNote, l.Width)...)
	if note := attempt(c.Predictions); note != "" {
		l.print(typeset.Wrap(note, l.Width)...)
	}
	r, err := l.measure(ctx, b, c)
	if err != nil {
		return err
	}
	l.print("", strings.Repeat("─", l.Width))
	l.print(r.Lines(l.Width)...)
	if r.Err != nil {
		return r.Err
	}
	if ctx.Err() != nil {
		return ErrStopped
	}
	return l.why(ctx, r)
}

// ask puts question i of a lab until it is answered.
func (l *liner) ask(ctx context.Context, b *lab.Lab, i int) (Guess, error) {
	q := &b.Questions[i]
	name, a := b.Name+"/"+q.Name, asks(q)
	l.print("", fmt.Sprintf("%s  (question %d of %d)", name, i+1, len(b.Questions)))
	l.print(typeset.Wrap(q.Text, l.Width)...)
	l.print("")
	l.print(typeset.Wrap(worth(q), l.Width)...)
	l.print(candidateLines(q, l.Width)...)
	if lines := axiomLines(q, l.set, l.Width); len(lines) > 0 {
		l.print("", "Axioms")
		l.print(lines...)
	}
	l.print("")
	l.print(typeset.Wrap(fmt.Sprintf("Your prediction, %s (%s, or with an 80 %% interval: %s):", kind(a.dim), a.example(), a.exampleSpan()), l.Width)...)
	if text, ok := l.Answers[name]; ok {
		g, err := a.read(text)
		l.print("> "+text, "  understood: "+g.Understood())
		return g, err
	}
	for unread := 1; ; unread++ {
		fmt.Fprint(l.Out, "> ")
		text, err := l.next(ctx)
		if !l.Interactive {
			l.print(typeset.Clean(text)) // what a terminal would have shown
		}
		if errors.Is(err, io.EOF) {
			return Guess{}, fmt.Errorf("the input ended before an answer to %s: give one line for each question, or --answer %s=VALUE; nothing of %s was registered", name, name, b.Name)
		}
		if err != nil {
			return Guess{}, err
		}
		g, err := a.read(text)
		if err == nil {
			l.print("  understood: " + g.Understood())
			return g, nil
		}
		if !l.Interactive && unread == patience {
			return Guess{}, fmt.Errorf("none of %d lines answers %s; the last of them: %w; nothing of %s was registered", unread, name, err, b.Name)
		}
		l.print(typeset.Hang("  ", err.Error(), l.Width)...)
	}
}

// why asks the user why he was off, where he was; an empty line or the end of the input is no
// answer and no error.
func (l *liner) why(ctx context.Context, r *Reveal) error {
	if !l.Interactive {
		return nil
	}
	asked := false
	for i := range r.Answers {
		if !r.Answers[i].off() {
			continue
		}
		if !asked {
			l.print("")
			l.print(typeset.Wrap("Why were you off? One line for each question, kept with your prediction; Enter leaves it out.", l.Width)...)
		}
		asked = true
		p := &r.Answers[i].Entry.Prediction
		fmt.Fprintf(l.Out, "%s> ", p.Question)
		text, err := l.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := l.Ledger.SetWhy(p.Question, p.Attempt, typeset.Clean(text)); err != nil {
			return err
		}
	}
	return nil
}
