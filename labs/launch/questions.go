package launch

import (
	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "one-empty-operation", Unit: "s",
		Text: "A program hands the kernel an operation that does nothing, through io_uring, and waits for it in the same system call. How long does that take?",
		Candidates: []lab.Candidate{
			{Text: "what calling a function takes", Value: axioms.Seconds(2e-9)},
			{Text: "what a load from memory takes", Value: axioms.Seconds(100e-9)},
			{Text: "what a slow system call takes", Value: axioms.Seconds(2e-6)},
			{Text: "what waking a thread and being woken takes", Value: axioms.Seconds(10e-6)},
		},
		Axioms: []string{"function-call", "system-call", "thread-handover", "gpu-launch"},
		Answer: lab.Answer{Series: dispatchName(byRing)},
		Derive: derive("1 * system-call"),
	}, {
		Name: "one-empty-operation-for-a-thread", Unit: "s",
		Text: "The operation goes to another thread of the same processor, which sleeps until it is woken. Whoever woke it sleeps until it is done. How long does that take?",
		Candidates: []lab.Candidate{
			{Text: "as long as two goroutines take to change places twice", Value: axioms.Seconds(400e-9)},
			{Text: "a system call", Value: axioms.Seconds(2e-6)},
			{Text: "two hand-overs between threads, as they are assumed", Value: axioms.Seconds(10e-6)},
			{Text: "a tenth of a millisecond: threads are expensive", Value: axioms.Seconds(100e-6)},
		},
		Axioms: []string{"system-call", "goroutine-switch", "thread-handover"},
		Answer: lab.Answer{Series: dispatchName(byThread)},
		Derive: derive("2 * thread-handover"),
	}, {
		Name: "token-one-by-one", Unit: "s",
		Text: "A model takes 280 operations for a token, and each reads 16 KiB that lie in memory. A thread of the same processor is woken for each, and waited for. How long does the token take?",
		Candidates: []lab.Candidate{
			{Text: "what its bytes take", Value: axioms.Seconds(460e-6)},
			{Text: "the bytes, and 280 system calls", Value: axioms.Seconds(1e-3)},
			{Text: "the bytes, and 280 times there and back between threads", Value: axioms.Seconds(3.3e-3)},
			{Text: "280 tenths of a millisecond", Value: axioms.Seconds(28e-3)},
		},
		Axioms: []string{"study-operations", "system-call", "thread-handover", "dram-copy"},
		Answer: lab.Answer{Series: tokenName(byThread)},
		Derive: derive("study-operations * (16 KiB / dram-copy + 2 * thread-handover)"),
	}, {
		Name: "one-by-one-over-together", Unit: "1",
		Text: "280 reads of 16 KiB that lie in memory are handed to io_uring, each with a system call of its own or all with one. How many times as long does the first way take?",
		Candidates: []lab.Candidate{
			{Text: "the same: the bytes decide", Value: axioms.Count(1)},
			{Text: "twice", Value: axioms.Count(2)},
			{Text: "ten times", Value: axioms.Count(10)},
			{Text: "280 times: the calls decide", Value: axioms.Count(280)},
		},
		Axioms: []string{"study-operations", "system-call", "dram-copy"},
		Answer: lab.Answer{Series: ratioName(byRing)},
		Derive: derive("1 + system-call / (16 KiB / dram-copy)"),
	},
}

// derive is arithmetic on axioms, as it is written.
func derive(expression string) func(axioms.Set) (lab.Derivation, error) {
	return func(s axioms.Set) (lab.Derivation, error) {
		r, err := s.Eval(expression)
		if err != nil {
			return lab.Derivation{}, err
		}
		return lab.Derivation{Value: r.Quantity, Steps: r.Text}, nil
	}
}
