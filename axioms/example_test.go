package axioms_test

import (
	"encoding/json"
	"fmt"

	"envelope/axioms"
)

func ExampleParse() {
	for _, text := range []string{"300us", "64 KiB", "64KB", "1,5 ms"} {
		q, err := axioms.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(q, "=", q.Exact())
	}
	// Output:
	// 300 µs = 0.0003 s
	// 64 KiB = 65536 B
	// quantity "64KB": unit "KB" can be read in more than one way: write "kB" for 1,000 bytes or "KiB" for 1,024 bytes
	// quantity "1,5 ms": a comma groups thousands, as in 1,000: write a decimal point as "."
}

func ExampleQuantity_Div() {
	took, err := axioms.Bytes(8).Div(axioms.MustParse("2 GB/s"))
	fmt.Println(took, err)
	_, err = took.Add(axioms.Bytes(8))
	fmt.Println(err)
	// Output:
	// 4 ns <nil>
	// cannot add s and B
}

func ExampleEval() {
	r, err := axioms.Eval("(80 GB - model-weights) / 1 GiB")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Text, "=", r.Quantity)
	for _, w := range r.Warnings {
		fmt.Println("warning:", w)
	}
	_, err = axioms.Eval("1 MB / dram-copy + 8 B")
	fmt.Println(err)
	// Output:
	// (80 GB - model-weights) / (1 GiB) = 61.5
	// warning: GB and GiB are mixed: a GiB is 7.4 % more than a GB
	// expression "1 MB / dram-copy + 8 B", column 18: cannot add s and B
}

func ExampleRuledOut() {
	layers, err := axioms.Floor(axioms.MustParse("1 MB"), axioms.Set{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rulings, err := axioms.RuledOut(axioms.MustParse("25us"), layers)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rulings {
		fmt.Printf("%-10s %7s  %s\n", r.Layer.Name, r.Layer.Floor, r)
	}
	// Output:
	// cache-copy   20 µs  not ruled out, 1.25x over its floor
	// dram-copy   100 µs  ruled out, 4x under its floor
	// nvme-write  500 µs  ruled out, 20x under its floor
	// disk-write 6.67 ms  ruled out, 267x under its floor
}

func ExampleSet_Get() {
	set, err := axioms.NewSet(axioms.Measured{
		Name:     "dram-copy",
		Quantity: axioms.BytesPerSecond(28e9),
		Low:      axioms.BytesPerSecond(27e9),
		High:     axioms.BytesPerSecond(29e9),
		N:        31,
		Method:   "copies of 64 MiB",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"dram-copy", "nvme-write", "nvme-read"} {
		g, err := set.Get(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: %s, %s (%s)\n", g.Name, g.Quantity, g.Kind(), g.Source)
	}
	// Output:
	// dram-copy: 28 GB/s, measured (copies of 64 MiB)
	// nvme-write: 2 GB/s, assumed (NVMe flash drive, sequential: order of magnitude)
	// unknown axiom "nvme-read": did you mean file-read or cache-read or dram-read?
}

func ExampleQuantity_MarshalJSON() {
	text, err := json.Marshal(axioms.MustParse("2 GB/s"))
	fmt.Println(string(text), err)
	// Output: {"value":2000000000,"unit":"B/s"} <nil>
}
