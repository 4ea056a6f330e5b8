// Package drill is retrieval practice: it shows a rule or a challenge, waits,
// shows what it rests on, and lets the reader mark himself.
//
// # The deck
//
// RULES.md and CHALLENGES.md are read by Parse, which is strict, so that a
// document that people edit stays one that a program can read. A rule's card
// has its sentence in front and the derivation behind; a challenge has no
// answer behind it, only the lab or the command by which the reader finds out.
//
// # The boxes
//
// Cards lie in boxes after Leitner, "So lernt man lernen" (1972): a card that
// the reader knew moves up one box, one that he missed goes back to the first,
// and the higher the box the longer until the card comes up again. Which card
// is next depends on the deck, the boxes and the time alone.
//
// # The file
//
// drill.json in the state directory holds the boxes. It is replaced whole, under
// a lock. A file that can't be read is set aside with a message, and all cards
// are new again.
package drill
