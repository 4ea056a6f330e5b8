// Package ledger keeps the user's predictions, and scores them.
//
// # The file
//
// predictions.jsonl in the state directory holds one JSON object to a line, and
// lines are only ever added. Text lines are chosen over a database because
// they outlive the program: they can be read, copied and repaired with any
// tool. One line is one event, written in one piece: a registration with all
// predictions of a session, what the run then measured, or the user's line on
// why he was off. Each line carries the CRC-32C of its event, so a line that is
// not as it was written is found.
//
// Every call takes a lock, reads the file, adds its line, and syncs the file
// (and the directory, if it made the file) before it returns. What Register has
// returned is on the disk before the lab starts.
//
// # Damage
//
// A last line with no end was being written when its writer was killed. Nobody
// was told that it was kept, and it is dropped, with a message. Any other line
// that is not as it was written is damage: the whole file is set aside as
// predictions.jsonl.damaged-TIME, and a new one begins with all lines that can
// still be read. Nothing is lost in either case, and the user is told.
//
// # Attempts
//
// The first prediction for a question, worded as it is, is attempt 1: the
// registered one. The state directory belongs to one user on one machine, so
// that is what "first" means. Later ones are kept and numbered, and count only
// where they are asked for. A prediction whose run died, or whose claim came
// out void, has been used up: its question was answered, and it stays unscored.
//
// # Scores
//
// A prediction of a positive quantity is scored by log10(predicted / measured):
// twice too much and half of it are equally far off. Where either is zero, and
// for exact counts, there is no ratio: the prediction is right, or off by so
// much. What the division gave is scored by the same function.
package ledger
