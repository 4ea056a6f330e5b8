package cli

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/manifest"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"` // s
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// gate is what a run's exit code depends on beside its verdicts.
type gate struct {
	require    []string
	allowNoisy bool
}

// writeJUnit prints a run as JUnit XML: a claim is a case, failed is a failure.
// A void claim that keeps the exit code from 0 is an error, any other is skipped
// with its reason; what was required and is not met is an error of its own, so
// that a reader of the XML alone sees what the exit code says.
func writeJUnit(w io.Writer, run manifest.Run, g gate) error {
	var out junitSuites
	for _, l := range run.Labs {
		s := junitSuite{Name: "envelope." + l.Name, Tests: len(l.Claims), Time: fmt.Sprintf("%.3f", l.Seconds)}
		for _, c := range l.Claims {
			k := junitCase{Class: s.Name, Name: c.Name}
			m := &junitMessage{Message: typeset.Clean(claimMessage(c)), Text: typeset.Clean(c.Text)}
			switch {
			case c.Verdict == measure.Failed:
				k.Failure = m
				s.Failures++
			case c.Verdict == measure.Void && manifest.ClaimExit(c, g.allowNoisy) != manifest.ExitHeld:
				k.Error = m
				s.Errors++
			case c.Verdict == measure.Void:
				k.Skipped = m
				s.Skipped++
			}
			s.Cases = append(s.Cases, k)
		}
		out.Suites = append(out.Suites, s)
	}
	if unmet := manifest.Unmet(run, g.require); len(unmet) > 0 {
		s := junitSuite{Name: "envelope.gate", Tests: len(unmet), Errors: len(unmet), Time: "0"}
		for i, why := range unmet {
			s.Cases = append(s.Cases, junitCase{Class: s.Name, Name: fmt.Sprintf("gate-%d", i+1), Error: &junitMessage{Message: typeset.Clean(why)}})
		}
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// claimMessage is a claim's verdict in one line.
func claimMessage(c manifest.Claim) string {
	if c.Verdict == measure.Void {
		return fmt.Sprintf("void (%s): %s", c.Reason, c.Detail)
	}
	s := fmt.Sprintf("%s, want %s", c.Verdict, typeset.Region(c.Terms.Region, c.Unit))
	if c.Estimate != nil && c.Estimate.Value != nil {
		s = fmt.Sprintf("%s: %s, want %s", c.Verdict, typeset.Value(*c.Estimate.Value, c.Unit), typeset.Region(c.Terms.Region, c.Unit))
	}
	return s
}

// writeGitHub prints workflow commands: whatever keeps the exit code from 0 is an
// error annotation, another void claim a warning, one out of reach a notice.
func writeGitHub(w io.Writer, run manifest.Run, g gate) error {
	n := map[measure.Verdict]int{}
	for _, l := range run.Labs {
		for _, c := range l.Claims {
			n[c.Verdict]++
			level := "warning"
			switch {
			case c.Verdict == measure.Held:
				continue
			case c.Reason == measure.Unreachable:
				level = "notice"
			case manifest.ClaimExit(c, g.allowNoisy) != manifest.ExitHeld:
				level = "error"
			}
			if _, err := fmt.Fprintf(w, "::%s title=%s::%s\n", level, property(l.Name+"/"+c.Name), data(c.Text+": "+claimMessage(c))); err != nil {
				return err
			}
		}
	}
	for _, why := range manifest.Unmet(run, g.require) {
		if _, err := fmt.Fprintf(w, "::error title=envelope::%s\n", data(why)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "envelope: %d held, %d failed, %d void, exit code %d\n",
		n[measure.Held], n[measure.Failed], n[measure.Void], run.ExitCode)
	return err
}

// data escapes a workflow command's message, property its attributes, as the
// runner's toolkit does.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(typeset.Clean(s))
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
