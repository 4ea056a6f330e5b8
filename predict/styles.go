package predict

import (
	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/textinput"
	"charm.land/lipgloss/v2"

	"envelope/internal/measure"
)

// styles are the looks of the screen. Nothing is told by colour alone: marks
// have shapes, rows have names, verdicts are words.
type styles struct {
	title, quiet, label            lipgloss.Style
	you, division, measured        lipgloss.Style
	held, failed, void, bad, input lipgloss.Style
	help                           help.Styles
	text                           textinput.Styles
}

func newStyles(dark bool) styles {
	pick := lipgloss.LightDark(dark)
	fg := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	s := styles{
		title: lipgloss.NewStyle().Bold(true), label: lipgloss.NewStyle().Bold(true),
		quiet: fg("241", "246"), input: fg("25", "117"),
		you: fg("25", "117"), division: fg("97", "183"), measured: fg("22", "114").Bold(true),
		held: fg("22", "114"), failed: fg("160", "210").Bold(true), void: fg("94", "221"), bad: fg("160", "210"),
		help: help.DefaultStyles(dark), text: textinput.DefaultStyles(dark),
	}
	s.text.Focused.Prompt, s.text.Focused.Placeholder = s.input, s.quiet
	s.help.ShortKey, s.help.ShortDesc, s.help.ShortSeparator = lipgloss.NewStyle().Bold(true), s.quiet, s.quiet
	return s
}

// verdict styles a line about a claim.
func (s *styles) verdict(v measure.Verdict) lipgloss.Style {
	switch v {
	case measure.Held:
		return s.held
	case measure.Failed:
		return s.failed
	}
	return s.void
}

// row styles a row of a ruler, or of the scores under it, by its name.
func (s *styles) row(name string) lipgloss.Style {
	switch name {
	case "you":
		return s.you
	case "division":
		return s.division
	case "measured":
		return s.measured
	}
	return lipgloss.NewStyle()
}
