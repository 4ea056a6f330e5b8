package launch

import (
	"fmt"
	"strings"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// Every arm stands for 280 operations: its sample is the time of one.

// what names 280 operations of a size.
func what(size int) string {
	if size == 0 {
		return fmt.Sprintf("%d empty operations", operations)
	}
	return fmt.Sprintf("%d reads of %d KiB", operations, size>>10)
}

// each ends the names of arms.
const each = ", each"

// arm names one, and those that it is made of without their ends.
func arm(name string, op func() error) measure.Arm {
	return measure.Arm{Name: strings.ReplaceAll(name, each, "") + each, Ops: operations, Op: op}
}

// alone hands them over one by one.
func (o *opened) alone(size int) measure.Arm {
	return arm(what(size)+" one by one", func() error { return oneByOne(o, operations, size) })
}

// together hands them over at once.
func (o *opened) together(size int) measure.Arm {
	return arm(what(size)+" in one submission", func() error { return o.hand(operations, size) })
}

// rounds does the work of an arm so many times.
func rounds(n int, a measure.Arm) measure.Arm {
	return arm(fmt.Sprintf("%d times %s", n, a.Name), func() error {
		for range n {
			if err := a.Op(); err != nil {
				return err
			}
		}
		return nil
	})
}

// mean makes the sample of an arm that was done so many times the mean.
func mean(n int, a measure.Arm) measure.Arm {
	a = rounds(n, a)
	a.Ops *= n
	return a
}

// one hands over a single empty operation: an arm of which the other sleeps once must sleep as often, or a busy machine would make
// them differ.
func (o *opened) one() measure.Arm {
	return arm("one empty operation", func() error { return o.hand(1, 0) })
}

// after does the work of two arms, one after the other.
func after(first, second measure.Arm) measure.Arm {
	return arm(first.Name+", and "+second.Name, func() error {
		if err := first.Op(); err != nil {
			return err
		}
		return second.Op()
	})
}

// bytes reads as much as 280 heavy reads do, in half as many calls.
func (b *bench) bytes() measure.Arm {
	const calls = operations * heavy / piece
	return arm(fmt.Sprintf("%d reads of %d KiB by the caller", calls, piece>>10), func() error {
		for range calls {
			if err := b.weights.read(piece); err != nil {
				return err
			}
		}
		return nil
	})
}

// delay makes an arm longer by so many dispatches for each operation, which are charged and not slept.
func (o *opened) delay(a *measure.Arm, dispatches float64) {
	a.Extra = times(operations*dispatches, o.dispatch)
}

func (b *bench) pairs(o *opened) []lab.Pair {
	at := func(name string) string { return name + "@" + o.name }
	// On a busy machine a hand-over may cost a turn of somebody else's. The mean of several is what such turns come to, as
	// they do in the other arm; of one, it may be all or nothing.
	empty := mean(16, o.together(0))
	if b.Sabotaged(bothAlone) {
		empty = o.alone(0)
	}
	pairs := []lab.Pair{{Claim: at(beats), Warm: 1, A: o.alone(0), B: empty}}
	if !o.reads {
		return pairs
	}

	read := o.together(heavy)
	if b.Sabotaged(sevenExtra) {
		read = rounds(8, read)
	}
	lost := o.alone(large)
	if b.Sabotaged(delayed) {
		o.delay(&lost, b.Dose)
	}
	// A gap is alone - together; gap(small) - gap(large) is (small alone + large together) - (large alone + small together).
	less, more := after(o.alone(small), o.together(large)), after(o.alone(large), o.together(small))
	if b.Sabotaged(growing) {
		o.delay(&less, b.Dose*small/large)
		o.delay(&more, b.Dose)
	}
	// These arms are long enough to warm themselves up, and for a busy machine to interrupt. As episodes they make blocks of two,
	// fewer of which are interrupted than of blocks of four.
	return append(pairs,
		lab.Pair{Claim: at(divides), Episode: true, A: lost, B: after(o.together(large), o.alone(0)), Unit: o.dispatch},
		lab.Pair{Claim: at(floor), Episode: true, A: read, B: after(o.one(), b.bytes())},
		lab.Pair{Claim: at(leaves), Episode: true, A: less, B: more, Unit: o.dispatch},
	)
}
