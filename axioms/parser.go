package axioms

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// How tightly the parts of an expression hold together, loosest first; it decides where the restatement needs brackets.
const (
	sum      = iota + 1
	compound // a number whose unit holds a slash or a product
	product  //
	signed   // a unary minus
	united   // a number with a plain unit
	raised   // a power
	atomic   // a plain number, a name, a call
)

// node is a part of an expression, already reckoned, with its restatement.
type node struct {
	q    Quantity
	text string
	hold int
}

// within returns n's text, in brackets unless it holds at least as tightly as asked.
func (n node) within(hold int) string {
	if n.hold < hold {
		return "(" + n.text + ")"
	}
	return n.text
}

// parser reckons while it reads: an expression is used once, and errors want the place that they happened at.
type parser struct {
	scanner
	set             Set
	room            int // nesting that is still allowed
	used            []Given
	decimal, binary string // the first byte multiple of either system
}

// all reads the whole text as one expression.
func (p *parser) all() (node, *fault) {
	p.space()
	if p.pos == len(p.text) {
		return node{}, p.fault(p.pos, "empty: write an expression, such as %q", "8 B / 2 GB/s")
	}
	n, err := p.sum()
	if err != nil {
		return n, err
	}
	if p.pos < len(p.text) {
		return n, p.fault(p.pos, "unexpected %q", clip(p.text[p.pos:]))
	}
	return n, nil
}

// cause is a fault with an error of its own.
func (p *parser) cause(pos int, err error) *fault {
	return &fault{pos: pos, msg: err.Error(), err: err}
}

// operator takes one of the operators in from, at hand behind spaces, and returns it as to spells it, or 0.
func (p *parser) operator(from, to string) (byte, int) {
	p.space()
	r, pos := p.peek(), p.pos
	for i, c := range []rune(from) {
		if r == c {
			p.pos += len(string(r))
			return to[i], pos
		}
	}
	return 0, pos
}

func (p *parser) sum() (node, *fault) {
	left, err := p.product()
	for err == nil {
		op, pos := p.operator(sums, plainSums)
		if op == 0 {
			break
		}
		var right node
		if right, err = p.product(); err != nil {
			break
		}
		do := left.q.Add
		if op == '-' {
			do = left.q.Sub
		}
		q, bad := do(right.q)
		if bad != nil {
			return node{}, p.cause(pos, bad)
		}
		left = node{q, left.within(sum) + " " + string(op) + " " + right.within(sum+1), sum}
	}
	return left, err
}

func (p *parser) product() (node, *fault) {
	left, err := p.signed()
	for err == nil {
		op, pos := p.operator(products, plainProducts)
		if op == 0 {
			break
		}
		var right node
		if right, err = p.signed(); err != nil {
			break
		}
		do := left.q.Mul
		if op == '/' {
			do = left.q.Div
		}
		q, bad := do(right.q)
		if bad != nil {
			return node{}, p.cause(pos, bad)
		}
		hold := product + 1
		if op == '/' && right.hold == united { // "1 / 3 s" would read as a third of a second
			hold = raised
		}
		left = node{q, left.within(product) + " " + string(op) + " " + right.within(hold), product}
	}
	return left, err
}

// signed reads any run of signs before a power; two minuses cancel.
func (p *parser) signed() (node, *fault) {
	minus := false
	for {
		op, _ := p.operator(sums, plainSums)
		if op == 0 {
			break
		}
		minus = minus != (op == '-')
	}
	n, err := p.raised()
	if err != nil || !minus {
		return n, err
	}
	n.q.Value = -n.q.Value
	if n.hold == compound && n.text[0] != '-' {
		n.text = "-" + n.text
		return n, nil
	}
	return node{n.q, "-" + n.within(united), signed}, nil
}

func (p *parser) raised() (node, *fault) {
	p.space()
	bracketed := p.at(0) == '('
	base, err := p.primary()
	if err != nil {
		return node{}, err
	}
	op, pos := p.operator(powers, plainPowers)
	if op == 0 {
		return base, p.juxtaposed(base)
	}
	if !bracketed && (base.hold == united || base.hold == compound) {
		return node{}, p.fault(pos, "put the quantity in brackets, (%s)^2, or the power next to its unit", clip(base.text))
	}
	n, exp, err := p.exponent()
	if err != nil {
		return node{}, err
	}
	q, bad := base.q.pow(n)
	if bad != nil {
		return node{}, p.cause(pos, bad)
	}
	if again, at := p.operator(powers, plainPowers); again != 0 {
		return node{}, p.fault(at, "one power on another: put brackets round the one that comes first")
	}
	out := node{q, base.within(atomic) + "^" + exp, raised}
	return out, p.juxtaposed(out)
}

// exponent reads the whole number behind a "^".
func (p *parser) exponent() (int, string, *fault) {
	p.space()
	start := p.pos
	sign := ""
	if op, _ := p.operator("-−", "--"); op != 0 {
		sign = "-"
		p.space()
	}
	from := p.pos
	for digit(p.at(0)) {
		p.pos++
	}
	n, err := strconv.Atoi(p.text[from:p.pos])
	if err != nil || n > maxPower || p.at(0) == '.' && digit(p.at(1)) || p.at(0) == '_' {
		return 0, "", p.fault(start, "a power is a whole number from -%d to %[1]d", maxPower)
	}
	text := sign + strconv.Itoa(n)
	if sign != "" {
		n = -n
	}
	return n, text, nil
}

// juxtaposed refuses an operand directly behind another.
func (p *parser) juxtaposed(n node) *fault {
	p.space()
	r := p.peek()
	switch {
	case unicode.IsLetter(r):
		start := p.pos
		name := p.name()
		if _, err := p.set.Get(name); err == nil || slices.Contains(functionNames(), name) || n.hold == united || n.hold == compound {
			return p.fault(start, "no operator between %q and %q: write * to multiply", clip(n.text), clip(name))
		}
		if _, ok := lookup(name); ok {
			return p.fault(start, "the unit %q does not follow a number: write * 1 %s", name, name)
		}
		return p.fault(start, "%s", unknownUnit(name))
	case r == '(' || r == '.' || '0' <= r && r <= '9' || r == '%':
		return p.fault(p.pos, "no operator between %q and %q: write * to multiply", clip(n.text), clip(p.text[p.pos:]))
	case r == ',' && p.inCall == 0:
		return p.fault(p.pos, "a comma groups thousands, as in 1,000, or separates a function's arguments")
	}
	return nil
}

func (p *parser) primary() (node, *fault) {
	p.space()
	start := p.pos
	r := p.peek()
	switch {
	case r == -1:
		return node{}, p.fault(start, "the expression ends where a number, a name or a bracket should follow")
	case '0' <= r && r <= '9' || r == '.':
		return p.quantity()
	case r == '(':
		p.pos++
		n, err := p.nested()
		if err != nil {
			return n, err
		}
		return n, p.closing(start)
	case unicode.IsLetter(r):
		name := p.name()
		if p.space(); p.at(0) == '(' {
			return p.call(name, start)
		}
		return p.axiom(name, start)
	}
	return node{}, p.fault(start, "got %q, want a number, a name or a bracket", clip(p.text[start:]))
}

// nested reads the inside of a bracket, one level down.
func (p *parser) nested() (node, *fault) {
	if p.room == 0 {
		return node{}, p.fault(p.pos, "brackets are nested more than %d deep", maxDepth)
	}
	p.room--
	n, err := p.sum()
	p.room++
	return n, err
}

// closing takes the bracket that answers the one at start.
func (p *parser) closing(start int) *fault {
	if p.space(); p.at(0) == ')' {
		p.pos++
		return nil
	}
	if p.pos == len(p.text) {
		return p.fault(p.pos, "the bracket opened at column %d is not closed", len([]rune(p.text[:start]))+1)
	}
	return p.fault(p.pos, "got %q, want an operator or a closing bracket", clip(p.text[p.pos:]))
}

// quantity reads a number and the unit that follows it.
func (p *parser) quantity() (node, *fault) {
	start := p.pos
	n, bad := p.number()
	if bad != nil {
		return node{}, bad
	}
	back := p.pos
	p.space()
	u, bad := p.unit()
	if bad != nil {
		return node{}, bad
	}
	if u.text == "" {
		p.pos = back
	}
	v, err := n.value(u)
	if err != nil {
		return node{}, p.cause(start, err)
	}
	if p.decimal == "" {
		p.decimal = u.decimal
	}
	if p.binary == "" {
		p.binary = u.binary
	}
	out := node{Quantity{v, u.dim}, n.digits, atomic}
	if n.exp != 0 {
		out.text += "e" + strconv.Itoa(n.exp)
	}
	if u.text != "" {
		out.text += behind(u.text)
		out.hold = united
	}
	if u.compound {
		out.hold = compound
	}
	return out, nil
}

// name reads letters, digits and underscores from a letter on, and a hyphen where a letter follows it.
func (p *parser) name() string {
	start := p.pos
	for p.pos < len(p.text) {
		r := p.peek()
		if !unicode.IsLetter(r) && !('0' <= r && r <= '9') && r != '_' && !(r == '-' && letter(p.at(1))) {
			break
		}
		p.pos += len(string(r))
	}
	return p.text[start:p.pos]
}

// axiom looks a name up and remembers that it was used.
func (p *parser) axiom(name string, start int) (node, *fault) {
	g, err := p.set.Get(name)
	if err != nil {
		if _, ok := lookup(name); ok {
			also := ""
			if names := sharing(name, p.set.names()); len(names) > 0 {
				also = "; or did you mean " + strings.Join(names, " or ") + "?"
			}
			return node{}, p.fault(start, "the unit %q has no number before it: write 1 %s%s", name, name, also)
		}
		if len(meant(name)) > 0 {
			return node{}, p.fault(start, "%s", unknownUnit(name))
		}
		if strings.Contains(name, "-") {
			err = fmt.Errorf("%w (to subtract, put spaces round the minus)", err)
		}
		return node{}, p.cause(start, err)
	}
	if !slices.ContainsFunc(p.used, func(u Given) bool { return u.Name == g.Name }) {
		p.used = append(p.used, g)
	}
	return node{g.Quantity, g.Name, atomic}, nil
}

// pow returns q to the power n, in the power of its dimension.
func (q Quantity) pow(n int) (Quantity, error) {
	dim, ok := Dim{}.plus(q.Dim, n)
	if !ok {
		return Quantity{}, errPowers
	}
	if q.Value == 0 && n < 0 {
		return Quantity{}, errZero
	}
	return kept(math.Pow(q.Value, float64(n)), dim, q.Value != 0)
}
