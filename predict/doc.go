// Package predict asks for predictions and reveals what became of them: in a
// terminal (Screen), or as lines in a pipe (Lines).
//
// # The order of things
//
// A sitting goes through labs, one after another. For each lab: its questions,
// with the candidates and the axioms and without the division; the commitment,
// which is on the disk before anything is measured; the measurement; the reveal.
// Nothing of an answer is kept before the commitment, and nothing of it can be
// changed after.
//
// # What it does not do
//
// The package neither measures nor judges. Its caller hands over a Runner, which
// is told of a lab and never of a prediction, so a lab can't depend on one. What
// comes back is a run as results.json has it, and all that is shown is read from
// that.
//
// # Two faces
//
// Screen is a bubbletea program: model, messages, update, keys, view and styles
// have a file each, and the view depends on the model alone. Lines is for pipes,
// scripts, dumb terminals and screen readers. Both are made of the same texts.
package predict
