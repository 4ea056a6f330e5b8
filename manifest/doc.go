// Package manifest is results.json: its types and JSON Schema, how a run is
// appended so that nothing is ever lost, and how a file that somebody else
// wrote is verified.
//
// Numbers are in base units ("s", "B", "B/s", "1") beside their unit, never
// formatted strings. What is not known is null beside the reason. NaN and
// infinity can't be written; an estimate with no value is null.
package manifest
