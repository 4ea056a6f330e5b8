// Package manifest is results.json: its types and JSON Schema, how a run is
// appended so that nothing is ever lost, and how a file that somebody else
// wrote is verified.
//
// Numbers are in base units ("s", "B", "B/s", "1") beside their unit, never
// formatted strings. What is not known is null beside the reason. NaN and
// infinity can't be written; an estimate with no value is null.
//
// # Appending
//
// A document is always whole. Append holds a lock, reads the document
// strictly, and puts a new file with one more run in its place in one step; the
// runs that were there keep their bytes. A document that would outgrow its
// limit first gets a second name, results.1.json and so on, so that at no
// moment is there a run without a file.
//
// # Verifying
//
// A file is somebody else's text. Verify bounds its depth, count and size,
// refuses duplicate keys and unknown fields, and then believes as little as it
// can: hashes, percentiles, registrations, the exit code and every verdict are
// computed again from the samples in the file, by the terms that the claim's
// method version was published with (methods.json). What nobody can compute
// again, such as that a device is missing, must at least say why, and must not
// contradict samples that are there.
package manifest
