// Package report makes one HTML page of one run: its verdicts, what they rest on,
// and pictures that show each claim. It neither measures nor judges; it shows
// what a manifest holds, and the caller sees to it that the manifest verifies.
//
// # The page
//
// One file, with no script, no reference to anything outside, and a content
// security policy that forbids both. Colours are CSS variables, so that one
// page serves a light and a dark screen and paper.
//
// # Somebody else's text
//
// A manifest is text that somebody else wrote. It is stripped of what hides or
// reorders characters and cut to a length before anything else is done (scrub),
// and every word of it then passes through html/template, in pictures as well.
// Names of elements, attributes, classes and ids are this package's own.
//
// # Pictures
//
// A picture is drawn from samples alone, and only where the claim that it shows
// was judged, at the version that the picture was made for: whatever is missing
// leaves no picture, and never a guess. Axes, scales and marks are our own: see
// CONTRIBUTING.md for why.
package report
