package axioms

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// function is one that expressions may call.
type function struct {
	name  string
	least int // arguments
	most  int
	do    func(args []Quantity) (Quantity, error)
}

func functions() []function {
	return []function{
		{"ceil", 1, 1, whole("ceil", math.Ceil)},
		{"floor", 1, 1, whole("floor", math.Floor)},
		{"sqrt", 1, 1, root},
		{"log2", 1, 1, logarithm("log2", math.Log2)},
		{"log10", 1, 1, logarithm("log10", math.Log10)},
		{"min", 2, maxArguments, extreme("take the minimum of", -1)},
		{"max", 2, maxArguments, extreme("take the maximum of", 1)},
	}
}

func functionNames() []string {
	var out []string
	for _, f := range functions() {
		out = append(out, f.name)
	}
	return out
}

// call reads the arguments of the function called name, from the bracket on, and applies it.
func (p *parser) call(name string, start int) (node, *fault) {
	var fn function
	for _, f := range functions() {
		if f.name == name {
			fn = f
		}
	}
	if fn.do == nil {
		if _, err := p.set.Get(name); err == nil {
			return node{}, p.fault(start, "%q is no function: write * to multiply", clip(name))
		}
		return node{}, p.cause(start, unknownName("function", name, functionNames()))
	}
	open := p.pos
	p.pos++
	p.inCall++
	var args []Quantity
	var texts []string
	for {
		n, err := p.nested()
		if err != nil {
			return n, err
		}
		args, texts = append(args, n.q), append(texts, n.text)
		if len(args) > fn.most {
			return node{}, p.fault(start, "%s takes %s", name, fn.arity())
		}
		if op, _ := p.operator(",", ","); op == 0 {
			break
		}
	}
	p.inCall--
	if err := p.closing(open); err != nil {
		return node{}, err
	}
	if len(args) < fn.least {
		return node{}, p.fault(start, "%s takes %s", name, fn.arity())
	}
	q, err := fn.do(args)
	if err != nil {
		return node{}, p.cause(start, err)
	}
	return node{q, name + "(" + strings.Join(texts, ", ") + ")", atomic}, nil
}

func (f function) arity() string {
	if f.least == f.most {
		return "one argument"
	}
	return fmt.Sprintf("%d to %d arguments", f.least, f.most)
}

// whole rounds to a whole number of base units, which means something for what comes in pieces only.
func whole(name string, round func(float64) float64) func([]Quantity) (Quantity, error) {
	return func(args []Quantity) (Quantity, error) {
		switch q := args[0]; q.Dim {
		case DimOne, DimByte, DimFLOP:
			return Quantity{round(q.Value), q.Dim}, nil
		default:
			return Quantity{}, fmt.Errorf("%s of a quantity in %s depends on its unit: divide by the unit first", name, q.Dim)
		}
	}
}

func root(args []Quantity) (Quantity, error) {
	q := args[0]
	dim, ok := q.Dim.half()
	switch {
	case !ok:
		return Quantity{}, fmt.Errorf("sqrt of %s is in no unit", q.Dim)
	case q.Value < 0:
		return Quantity{}, errors.New("sqrt of a negative number")
	}
	return Quantity{math.Sqrt(q.Value), dim}, nil
}

func logarithm(name string, log func(float64) float64) func([]Quantity) (Quantity, error) {
	return func(args []Quantity) (Quantity, error) {
		switch q := args[0]; {
		case q.Dim != DimOne:
			return Quantity{}, fmt.Errorf("%s wants a plain number, got %s: divide by a unit first", name, q.Dim)
		case q.Value <= 0:
			return Quantity{}, fmt.Errorf("%s wants a number above zero", name)
		default:
			return Quantity{log(q.Value), DimOne}, nil
		}
	}
}

func extreme(verb string, sign int) func([]Quantity) (Quantity, error) {
	return func(args []Quantity) (Quantity, error) {
		best := args[0]
		for _, q := range args[1:] {
			if q.Dim != best.Dim {
				return Quantity{}, &DimensionError{verb, best.Dim, q.Dim}
			}
			if c, err := q.Cmp(best); err == nil && c == sign {
				best = q
			}
		}
		return best, nil
	}
}
