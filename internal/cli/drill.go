package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"envelope/predict/drill"
	"envelope/predict/ledger"
)

func (a *app) drillCommand() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use: "drill", Short: "rules and challenges by retrieval; the missed come back sooner", Args: noArguments,
		Long: "Shows a rule or a challenge, then what it rests on, and asks whether you knew it. What you miss comes back sooner.",
		RunE: func(*cobra.Command, []string) error {
			dir, err := stateDir(state)
			if err != nil {
				return err
			}
			deck, err := drill.Parse(a.Rules, a.Challenges)
			if err != nil {
				return err
			}
			return a.drill(dir, deck.Cards(), bufio.NewReader(os.Stdin))
		},
	}
	a.stateFlag(cmd, &state)
	return cmd
}

// drill shows one card after another until none is due, the reader stops, or
// the input ends.
func (a *app) drill(dir string, cards []drill.Card, in *bufio.Reader) error {
	s, messages, err := drill.Load(dir)
	if err != nil {
		return err
	}
	a.say(messages)
	for {
		card, ok := s.Next(cards, time.Now())
		if !ok {
			if due, waiting := s.Waiting(cards, time.Now()); waiting {
				fmt.Fprintf(a.out, "nothing is due; the next card comes %s\n", humanize.Time(due))
			}
			return nil
		}
		fmt.Fprintf(a.out, "\n%s  %s\n", bold.Render(card.ID), card.Lab)
		a.out.doc(card.Front)
		if err := a.turn(in); err != nil {
			return endOfInput(a.out, err)
		}
		fmt.Fprintln(a.out)
		for _, step := range card.Back {
			a.out.fold("  ", step)
		}
		if len(card.Refs) > 0 {
			a.out.fold("  ", "claims: "+strings.Join(card.Refs, ", "))
		}
		knew, err := a.ask(in)
		if err != nil {
			return endOfInput(a.out, err)
		}
		if s, messages, err = drill.Keep(dir, card, knew, time.Now()); err != nil {
			return err
		}
		a.say(messages)
	}
}

var errStopped = errors.New("stopped")

// tries is how often a question is put before the input is taken for no
// reader's: an endless stream of blank lines must not be asked for ever.
const tries = 20

// longest is the bytes of a line that somebody may have typed.
const longest = 4096

// turn waits until the reader wants to see the back of the card. What he writes
// may be his answer: it is not shown for that.
func (a *app) turn(in *bufio.Reader) error {
	for range tries {
		fmt.Fprint(a.out, faint.Render("Enter alone shows what it rests on, q stops: "))
		switch answer, err := line(in); {
		case err != nil:
			return err
		case answer == "":
			return nil
		case answer == "q":
			return errStopped
		default:
			a.out.say("", "not shown: an answer stays in your head or on paper here")
		}
	}
	return fmt.Errorf("%d lines in a row were neither empty nor q: nothing was marked", tries)
}

// ask has the reader mark himself.
func (a *app) ask(in *bufio.Reader) (knew bool, err error) {
	for range tries {
		fmt.Fprint(a.out, faint.Render("Did you know it? y, n, or q to stop: "))
		answer, err := line(in)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		case "q":
			return false, errStopped
		}
	}
	return false, fmt.Errorf("%d answers in a row were none of y, n, q: nothing was marked", tries)
}

// line reads one line. The end of the input is io.EOF, whatever came before it.
func line(in *bufio.Reader) (string, error) {
	var s []byte
	for {
		part, err := in.ReadSlice('\n')
		s = append(s, part...)
		switch {
		case len(s) > longest:
			return "", fmt.Errorf("a line of over %d bytes is no answer", longest)
		case err == nil:
			return strings.TrimSpace(string(s)), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// endOfInput ends a session: neither a stop nor the end of a pipe is an error.
func endOfInput(w io.Writer, err error) error {
	fmt.Fprintln(w)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// say prints messages for the user.
func (a *app) say(messages []string) {
	for _, m := range messages {
		a.err.row("envelope: ", m)
	}
}

func (a *app) calibrationCommand() *cobra.Command {
	var state string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use: "calibration", Short: "how far off your predictions were, and which way", Args: noArguments,
		Long: "The record of predictions: how far off, which way, beside what the division gave. First attempts alone count.",
		RunE: func(*cobra.Command, []string) error {
			dir, err := stateDir(state)
			if err != nil {
				return err
			}
			l, messages, err := ledger.Open(dir)
			if err != nil {
				return err
			}
			a.say(messages)
			history := l.History()
			c := ledger.Calibrate(history, ledger.CalibrateOptions{All: all})
			if asJSON {
				e := json.NewEncoder(a.out)
				e.SetIndent("", "  ")
				return e.Encode(c)
			}
			return printCalibration(a.out, c, history)
		},
	}
	a.stateFlag(cmd, &state)
	cmd.Flags().BoolVar(&all, "all", false, "count later attempts too, not the registered ones alone")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
