package manifest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"envelope/internal/measure"
)

func verifyText(t testing.TB, text []byte) ([]Problem, Summary, error) {
	t.Helper()
	return Verify(bytes.NewReader(text), VerifyOptions{Methods: exampleMethods(), unsealed: true})
}

// exampleText is a document of two runs, of which the second is given.
func exampleText(t testing.TB, run any) []byte {
	t.Helper()
	first := exampleRun(t)
	first.ID = NewID(first.Started)
	text, err := json.Marshal(object{"format": Format, "runs": []any{first, run}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVerifyFindsNothing(t *testing.T) {
	problems, sum, err := verifyText(t, exampleText(t, exampleRun(t)))
	if err != nil || len(problems) > 0 {
		t.Errorf("got %v, %v, want nothing", problems, err)
	}
	if want := (Summary{Runs: 2, Labs: 4, Claims: 10, Predictions: 2, Held: 6, Void: 4}); sum != want {
		t.Errorf("got %+v, want %+v", sum, want)
	}
}

// What Append writes, Verify reads.
func TestVerifyOfAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if _, err := Append(path, exampleRun(t), AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if problems, _, err := Verify(f, VerifyOptions{Methods: exampleMethods(), unsealed: true}); err != nil || len(problems) > 0 {
		t.Errorf("got %v, %v, want nothing", problems, err)
	}
}

// loosened is a run as any JSON value, to be tampered with.
func loosened(t testing.TB, run Run) object {
	t.Helper()
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a seed has more digits than a float64
	var out object
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// at follows a path such as labs[0].claims[1] to the object there.
func at(v any, path string) object {
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		switch {
		case step == "":
		case step[0] == '[':
			v = v.([]any)[int(step[1]-'0')]
		default:
			v = v.(object)[step]
		}
	}
	return v.(object)
}

// resample changes the samples of a series, in whatever form they are.
func resample(t *testing.T, run object, where string, change func(Samples) Samples) {
	t.Helper()
	series := at(run, where)
	text, err := json.Marshal(series["samples"])
	if err != nil {
		t.Fatal(err)
	}
	var s Samples
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	series["samples"] = change(s)
}

func TestVerifyFindsTampering(t *testing.T) {
	check := func(name, path, want string, change func(run object)) {
		t.Helper()
		run := loosened(t, exampleRun(t))
		change(run)
		problems, _, err := verifyText(t, exampleText(t, run))
		found := slices.ContainsFunc(problems, func(p Problem) bool {
			return p.Path == "runs[1]."+path && strings.Contains(p.Text, want)
		})
		if err != nil || !found {
			t.Errorf("%s: got %v, %v, want a problem at runs[1].%s with %q", name, problems, err, path, want)
		}
	}
	set := func(where, field string, v any) func(object) {
		return func(run object) { at(run, where)[field] = v }
	}
	const (
		dear    = "labs[0].claims[0]"
		flush   = "labs[0].claims[1]"
		survive = "labs[1].claims[0]"
		free    = "labs[1].claims[1]"
		device  = "labs[1].claims[2]"
	)
	other := strings.Repeat("9", 64)

	check("id", "id", "was made at", set("", "id", NewID(exampleRun(t).Started.AddDate(0, 0, 1))))
	check("started", "id", "but the run started at", set("", "started", "2026-05-17T08:30:00Z"))
	check("finished", "finished", "before started", set("", "finished", "2026-05-17T09:29:59Z"))
	check("exit code", "exit_code", "0 in the file, 3 by its verdicts", set("", "exit_code", 0))
	check("command", "exit_code", "3 in the file, 0 by its verdicts", set("", "command", []string{"envelope", "run", "--allow-noisy"}))
	check("axiom of later", "axioms[0].taken", "behind the run's start", func(r object) { at(r, "axioms[0]")["taken"] = "2026-05-17T09:30:01Z" })
	check("axiom twice", "axioms[2].name", "two axioms", func(r object) { r["axioms"] = append(r["axioms"].([]any), at(r, "axioms[0]")) })
	check("outcome", "exit_code", "130 by its verdicts", set("", "outcome", "interrupted"))
	check("source of a file", "labs[0].source", "by program.sources", set("program.sources.labs/barrier", "barrier.go", other))
	check("another file", "labs[0].source", "by program.sources", set("program.sources.labs/barrier", "more.go", other))
	check("source of a lab", "labs[1].source", "by program.sources", set("labs[1]", "source", other))
	check("no sources", "labs[0].source", "no package labs/barrier", func(r object) { delete(at(r, "program.sources"), "labs/barrier") })
	check("commit", "program.commit.value", "is no commit", set("program.commit", "value", "main"))
	check("name of a lab", "labs[1].name", "two labs", set("labs[1]", "name", "barrier"))

	check("sample", "labs[0].series[0].min", "by its samples", func(r object) {
		resample(t, r, "labs[0].series[0]", func(s Samples) Samples { s[5] = 1e-9; return s })
	})
	check("sample of a claim", "labs[0].claims[0].estimate.low", "computed from its samples", func(r object) {
		resample(t, r, "labs[0].series[0]", func(s Samples) Samples {
			for i := range 16 {
				s[i] = 5e-4
			}
			return s
		})
	})
	check("packed sample", "labs[1].series[2].max", "by its samples", func(r object) {
		s := Samples(append([]float64{1}, make([]float64, 255)...))
		at(r, "labs[1].series[2]")["samples"] = s
	})
	check("order of samples", free+".verdict", "void (noisy) in the file", func(r object) {
		s := at(r, "labs[1].series[2]")
		b := at(r, "labs[1].series[3]")
		s["samples"], b["samples"] = at(r, "labs[1].series[0]")["samples"], at(r, "labs[1].series[1]")["samples"]
	})
	check("n", "labs[0].series[0].n", "33 in the file, but there are 32", set("labs[0].series[0]", "n", 33))
	check("percentile", "labs[0].series[0].p95", "0.5 in the file", set("labs[0].series[0]", "p95", 0.5))
	check("p99 of too few", "labs[0].series[0].p99", "0.5 in the file, null by", set("labs[0].series[0]", "p99", 0.5))
	check("no median", "labs[0].series[0].p50", "null in the file", set("labs[0].series[0]", "p50", nil))
	check("conditions", "labs[0].series[0].conditions", "but the lab has 1", set("labs[0].series[0]", "conditions", 1))
	check("two series", "labs[0].series[1].name", "two series", set("labs[0].series[1]", "name", "an-fsync-is-dear/a"))
	check("removed series", dear+".evidence.b", "no series", func(r object) {
		l := at(r, "labs[0]")
		l["series"] = slices.Delete(l["series"].([]any), 1, 2)
	})
	check("renamed series", dear+".evidence.a", "no series", set("labs[0].series[0]", "name", "x"))
	check("removed samples", dear+".verdict", "held in the file, void (noisy) judged from its samples", func(r object) {
		for _, where := range []string{"labs[0].series[0]", "labs[0].series[1]"} {
			resample(t, r, where, func(s Samples) Samples { return s[:8] })
		}
	})

	check("verdict", dear+".verdict", "failed in the file, held judged from its samples", set(dear, "verdict", "failed"))
	check("verdict of an exact claim", flush+".verdict", "failed in the file, held judged", set(flush, "verdict", "failed"))
	check("void made held", free+".verdict", "held in the file, void (noisy) judged from its samples", func(r object) {
		at(r, free)["verdict"], at(r, free)["reason"] = "held", ""
	})
	check("held made void", survive+".verdict", "void (noisy) in the file, held judged", func(r object) {
		at(r, survive)["verdict"], at(r, survive)["reason"], at(r, survive)["detail"] = "void", "noisy", "loud"
	})
	check("held made unreachable", survive+".verdict", "void (unreachable) in the file, held judged", func(r object) {
		at(r, survive)["verdict"], at(r, survive)["reason"], at(r, survive)["detail"] = "void", "unreachable", "far"
	})
	check("held made instrument", dear+".verdict", "void (instrument) in the file, held judged", func(r object) {
		c := at(r, dear)
		c["verdict"], c["reason"], c["detail"], c["estimate"] = "void", "instrument", "coarse", nil
	})
	check("arms of different units", dear+".evidence.b", `its unit is "B", that of a is "s"`, set("labs[0].series[1]", "unit", "B"))
	check("reason", free+".reason", "instrument in the file, noisy judged", set(free, "reason", "instrument"))
	check("false precondition", free+".reason", "all that it rests on held", set(free, "reason", "precondition"))
	check("false unfit", free+".reason", "knows nothing against the directory", set(free, "reason", "unfit"))
	check("false interruption", device+".reason", "the run was complete", set(device, "reason", "interrupted"))
	check("held for nothing", device+".verdict", "held in the file, but it has no evidence", func(r object) {
		at(r, device)["verdict"], at(r, device)["reason"] = "held", ""
	})
	check("estimate of nothing", device+".estimate", "without evidence", set(device, "estimate", exampleRun(t).Labs[0].Claims[0].Estimate))
	check("estimate", dear+".estimate.value", "computed from its samples", set(dear+".estimate", "value", 12.5))
	check("interval", dear+".estimate.high", "computed from its samples", set(dear+".estimate", "high", nil))
	check("outer interval", dear+".estimate.outer_low", "computed from its samples", set(dear+".estimate", "outer_low", 1))
	check("confidence", dear+".estimate.confidence", "0.5 in the file", set(dear+".estimate", "confidence", 0.5))
	check("n of an estimate", dear+".estimate.n", "17 in the file", set(dear+".estimate", "n", 17))
	check("no estimate", dear+".estimate", "null in the file", set(dear, "estimate", nil))

	check("region", dear+".terms", `in version 2 of the method`, set(dear+".terms.region", "min", 1))
	check("open region", dear+".terms", `"min":null`, set(dear+".terms.region", "min", nil))
	check("region and verdict", free+".verdict", "held in the file, void (noisy) judged from its samples", func(r object) {
		c := at(r, free)
		at(c, "terms.region")["max"], c["verdict"], c["reason"], c["retest"] = 100, "held", "", nil
	})
	check("kind", dear+".terms", `in version 2`, set(dear+".terms", "kind", "exact"))
	check("guard", dear+".terms", `in version 2`, func(r object) { delete(at(r, dear+".terms"), "guard") })
	check("older version", dear+".terms", `in version 1 of the method`, set(dear, "version", 1))
	check("unknown version", dear+".version", "not known to this version of envelope, which knows 1, 2", set(dear, "version", 3))
	check("unknown claim", dear+".name", "barrier/new is not known to this version of envelope", set(dear, "name", "new"))
	check("unit", dear+".unit", `"s" in the file, "1" in version 2`, set(dear, "unit", "s"))
	check("scope", dear+".scope", `"program" in the file`, set(dear, "scope", "program"))
	check("system", dear+".system", `"darwin" in the file, "" in version`, set(dear, "system", "darwin"))
	check("precondition left out", survive+".rests_on", "[] in the file", set(survive, "rests_on", []string{}))
	check("two claims", "labs[0].claims[1].name", "two claims", set(flush, "name", "an-fsync-is-dear"))
	check("claims that change places", dear+".terms", "in version 1 of the method", func(r object) {
		a, b := at(r, dear), at(r, flush)
		a["name"], b["name"], a["version"] = b["name"], a["name"], 1
	})
	check("precondition removed", survive+".rests_on", "barrier/a-flush-each is not in the run", func(r object) {
		l := at(r, "labs[0]")
		l["claims"] = l["claims"].([]any)[:1]
	})
	check("precondition void", flush+".verdict", "held in the file, void (precondition): barrier/an-fsync-is-dear is void (error)", func(r object) {
		c := at(r, dear)
		c["verdict"], c["reason"], c["detail"], c["evidence"], c["estimate"] = "void", "error", "lost", nil, nil
	})

	check("no retest", free+".retest", "a retest of what had not failed", func(r object) {
		at(r, free)["evidence"] = at(r, free)["retest"]
	})
	check("retest of what held", dear+".retest", "a retest of what had not failed: it is held", func(r object) {
		at(r, dear)["retest"] = at(r, dear)["evidence"]
	})
	check("failed without a retest", free+".verdict", "failed in the file, void (noisy) judged from its samples", func(r object) {
		c := at(r, free)
		c["retest"], c["verdict"], c["reason"] = nil, "failed", ""
	})
	check("successes", survive+".estimate.value", "computed from its samples", set(survive+".evidence", "successes", 996))
	check("few successes", survive+".verdict", "held in the file, failed judged from its samples", set(survive+".evidence", "successes", 500))
	check("half of the trials", survive+".evidence", "not both", func(r object) { delete(at(r, survive+".evidence"), "trials") })
	check("evidence of another kind", survive+".evidence", "of the kind exact", set(survive, "evidence", object{"values": "x"}))
	check("per", dear+".evidence.per", "0 samples", set(dear+".evidence", "per", 0))
	check("divisor", dear+".evidence.divisor", "belongs to an excess", set(dear+".evidence", "divisor", 2))
	check("counted arms as times", dear+".evidence.clocked", "were not timed", set("labs[0].series[0]", "calls", 0))
	check("dear clock", dear+".verdict", "held in the file, void (instrument) judged", set("environment.clock.overhead", "value", 1))
	check("unknown clock", dear+".evidence.clocked", "does not say what reading the clock cost", set("environment.clock", "overhead", object{"value": nil, "unknown": "?"}))
	check("unfit directory", dear+".verdict", "held in the file, void (unfit)", set("environment.target.options", "value", []string{"volatile"}))

	check("answer", "labs[0].questions[0].measured", "1 in the file", set("labs[0].questions[0]", "measured", 1))
	check("answer from elsewhere", "labs[0].questions[0].measured", "null by its series x", set("labs[0].questions[0]", "answer", "series x"))
	check("prediction", "predictions[0].sha256", "not what was registered", set("predictions[0]", "value", 9))
	check("derivation", "predictions[0].sha256", "not what was registered", set("predictions[0].derivation", "value", 9.5))
	check("time of a prediction", "predictions[0].sha256", "not what was registered", set("predictions[0]", "time", "2026-05-17T09:29:00Z"))
	check("hash of a prediction", "predictions[0].sha256", other, set("predictions[0]", "sha256", other))
	check("late prediction", "predictions[0].time", "after the end", set("predictions[0]", "time", "2026-05-17T09:31:00Z"))
	check("interval of a prediction", "predictions[0].value", "outside its interval", set("predictions[0]", "low", 11))
	check("half an interval", "predictions[0].low", "two ends or none", set("predictions[0]", "low", nil))
	check("text of a question", "predictions[0].text_hash", "the text was another", set("labs[0].questions[0]", "text_hash", other))
	check("attempt", "predictions[1].attempt", "two predictions of attempt 1", func(r object) {
		p := r["predictions"].([]any)
		r["predictions"] = append(p, p[0])
	})

	// What the schema finds.
	check("unknown field", "labs[0].claims[0]", "additional properties 'x' not allowed", set(dear, "x", 1))
	check("missing field", "labs[0].claims[0]", "missing property 'text'", func(r object) { delete(at(r, dear), "text") })
	check("number as text", "labs[0].series[0].samples[0]", "got string, want number", func(r object) {
		at(r, "labs[0].series[0]")["samples"] = []any{"NaN", 1}
	})
	check("control characters", "labs[0].series[0].unit", "value must be one of", set("labs[0].series[0]", "unit", "\x1b[31m"))
	check("absurd trials", survive+".evidence.trials", "maximum", set(survive+".evidence", "trials", json.Number("9223372036854775807")))
	// What decoding finds.
	check("axiom", "axioms[0]", "not inside", set("axioms[0]", "low", 1))
	check("torn samples", "labs[1].series[2].samples", "inflating", func(r object) {
		at(r, "labs[1].series[2]")["samples"].(object)["data"] = "AAAA"
	})
}

func TestVerifyFindsTwins(t *testing.T) {
	r := exampleRun(t)
	text, err := json.Marshal(Document{Format, []Run{r, r}})
	if err != nil {
		t.Fatal(err)
	}
	problems, _, err := verifyText(t, text)
	if want := (Problem{"runs[1].id", "the same as that of runs[0]"}); err != nil || len(problems) != 1 || problems[0] != want {
		t.Errorf("got %v, %v, want %v", problems, err, want)
	}
}

// What the samples can't tell is believed where the rest of the run bears it
// out.
func TestVerifyBelieves(t *testing.T) {
	check := func(name string, change func(r *Run, dear *Claim)) {
		t.Helper()
		r := exampleRun(t)
		change(&r, &r.Labs[0].Claims[0])
		// What rests on it, and the answer that came from it.
		for _, c := range []*Claim{&r.Labs[0].Claims[1], &r.Labs[1].Claims[0]} {
			c.Verdict, c.Reason, c.Detail, c.Estimate = measure.Void, measure.Precondition, "rests on it", nil
		}
		r.Labs[0].Questions[0].Measured = nil
		require, allow := RequiredOf(r.Command)
		r.ExitCode = ExitCode(r, require, allow)
		if problems, _, err := verifyText(t, exampleText(t, r)); err != nil || len(problems) > 0 {
			t.Errorf("%s: got %v, %v, want nothing", name, problems, err)
		}
	}
	void := func(c *Claim, reason measure.Reason) {
		c.Verdict, c.Reason, c.Detail, c.Estimate = measure.Void, reason, "it is so", nil
	}
	check("an error before anything was observed", func(r *Run, c *Claim) {
		void(c, measure.Error)
		c.Evidence = nil
	})
	check("a guard alone", func(r *Run, c *Claim) {
		void(c, measure.Error)
		c.Evidence = &Evidence{GuardA: c.Evidence.GuardA, GuardB: c.Evidence.GuardB, GuardPer: 2}
	})
	check("interrupted", func(r *Run, c *Claim) {
		void(c, measure.Interrupted)
		r.Outcome = Interrupted
	})
	check("another clock source", func(r *Run, c *Claim) {
		void(c, measure.Instrument)
		hpet := "hpet"
		r.EnvironmentEnd.ClockSource.Value = &hpet
	})
	check("a budget that ended before the first block", func(r *Run, c *Claim) {
		m := exampleMethods()["barrier/an-fsync-is-dear"][2]
		for i := range r.Labs[0].Series[:4] {
			s := &r.Labs[0].Series[i]
			s.Samples, s.Calls = Samples{}, 0
			s.Describe()
		}
		nothing := &measure.Blocks{Per: 2, Form: measure.Ratio, Clocked: true}
		j := measure.Judge(m.Terms, measure.Evidence{Blocks: nothing, Guard: nothing}, exampleOverhead)
		void(c, j.Reason)
	})
	check("unfit", func(r *Run, c *Claim) {
		void(c, measure.Unfit)
		c.Evidence = nil
		r.Environment.Target.Options.Value = &[]string{"volatile"}
	})
}

func TestMethods(t *testing.T) {
	m, err := LoadMethods()
	if err != nil {
		t.Fatal(err)
	}
	for name, versions := range m {
		for v, method := range versions {
			if !strings.Contains(name, "/") || v < 1 || method.Unit == "" || method.Scope == "" || method.Terms.Region.Valid() != nil {
				t.Errorf("%s version %d: %+v", name, v, method)
			}
		}
	}
}
