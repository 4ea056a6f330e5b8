package precision

import (
	"context"

	"github.com/dustin/go-humanize"

	"envelope/internal/autograd"
	"envelope/internal/lab"
)

// lessons are the steps in which the character model is trained, and pace the
// rate that it reaches after the first twentieth of them; then it falls to 0.
const (
	lessons = 1500
	pace    = 0.02
)

// learn trains the network on the labs' documentation, in float32, and compares
// its loss on what it has not seen with that of the bigram.
func learn(ctx context.Context, r *lab.Run) error {
	text, err := newCorpus(r.Documents)
	if err != nil {
		return err
	}
	s := sizes{context: 6, classes: text.classes, hidden: 96, batch: 64}
	b := newBatch(s)
	n := newNetwork(new(autograd.Graph[float32]), s, drawn[float32](s, r.Rand("weights")), b)
	o := autograd.NewAdamW[float32](0, 0.2)
	rng := r.Rand("lessons")
	for step := range lessons {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range s.batch {
			p := text.train[rng.IntN(len(text.train))]
			b.set(s, i, p, s.context+rng.IntN(len(p)-s.context))
		}
		done := float32(step) / lessons
		o.Rate = pace * min(1, 20*done) * (1 - done)
		if r.Sabotaged(rateZero) {
			o.Rate = 0
		}
		n.step(o)
	}
	loss, characters := n.heldOut(s, text, b)
	bigram := text.bigram(s.context, characters)
	r.Observe(itLearns, loss/bigram)
	r.Note("Trained on %s characters of the labs' documentation, the model is left with %.2f nats a character on %s that it has not seen, the bigram with %.2f; knowing nothing would leave %.2f.",
		humanize.Comma(int64(len(text.train)*piece)), loss, humanize.Comma(int64(characters)), bigram, text.nothing())
	return nil
}

// heldOut is the mean loss over the characters of the held-out pieces that have a
// context, in whole batches.
func (n *network[F]) heldOut(s sizes, text *corpus, b *batch) (loss float64, characters int) {
	at := 0
	for _, p := range text.held {
		for i := s.context; i < len(p); i++ {
			b.set(s, at, p, i)
			if at++; at == s.batch {
				n.graph.Forward()
				loss += float64(n.loss.Value()[0]) * float64(s.batch)
				characters += s.batch
				at = 0
			}
		}
	}
	return loss / float64(characters), characters
}
