// Package lab is the contract between a lab and everything that lists, runs,
// judges, verifies or explains it.
//
// A lab is a struct value: its claims, controls, questions and axioms are data,
// so that a list, a schema, a terminal UI or a document needs no run. Only
// Measure does anything, and it neither times nor judges: it hands arms to
// Run.Compare, and counted observations to Run.Observe and Run.Trials. The
// driver is the only caller of Measure, and judges all claims by one rule.
//
// Measure's error means that the measurement could not be made. A failed claim
// is no error. A claim that Measure never reports on is void.
package lab
