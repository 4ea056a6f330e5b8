package axioms

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// The limits that keep an expression's evaluation short.
const (
	maxExpression = 1000 // bytes
	maxDepth      = 50   // parentheses and calls, one inside the other
	maxArguments  = 20
	maxPower      = 64
)

// Result is what an expression came to.
type Result struct {
	Quantity Quantity
	Text     string   // the expression as it was understood, with its grouping made plain: "8 B / (2 GB/s)"
	Used     []Given  // the axioms that it names, in the order in which they first appear
	Warnings []string // sentences for the user, none of them an error
}

// ExprError is an error in an expression, with its place.
type ExprError struct {
	Expr   string
	Column int // in characters from 1; one past the end where something is missing
	Err    error
}

// Error gives the expression, the column and the cause.
func (e *ExprError) Error() string {
	return fmt.Sprintf("expression %q, column %d: %v", clip(e.Expr), e.Column, e.Err)
}

// Unwrap returns the cause, which may be a *DimensionError.
func (e *ExprError) Unwrap() error { return e.Err }

// Eval reckons an expression over quantities, with the constants as the only names. See the package comment for the
// grammar. Every error is an *ExprError; one about unlike dimensions wraps a *DimensionError.
func Eval(expr string) (Result, error) { return Set{}.Eval(expr) }

// Eval reckons an expression as the function Eval does, with the names of the set.
func (s Set) Eval(expr string) (Result, error) { return s.eval(expr, maxExpression, maxDepth) }

func (s Set) eval(expr string, length, depth int) (Result, error) {
	if len(expr) > length {
		return Result{}, &ExprError{expr, 1, fmt.Errorf("longer than %d bytes", length)}
	}
	p := parser{scanner: scanner{text: expr}, set: s, room: depth}
	n, bad := p.all()
	if bad != nil {
		err := bad.err
		if err == nil {
			err = errors.New(bad.msg)
		}
		return Result{}, &ExprError{expr, utf8.RuneCountInString(expr[:min(bad.pos, len(expr))]) + 1, err}
	}
	return Result{Quantity: n.q, Text: n.text, Used: p.used, Warnings: p.warnings(n.q)}, nil
}

// warnings lists what a careful reader would ask about a result.
func (p *parser) warnings(q Quantity) []string {
	var out []string
	if p.decimal != "" && p.binary != "" {
		out = append(out, mixed(p.decimal, p.binary))
	}
	for _, g := range p.used {
		if g.Low != g.High && !g.Measured {
			out = append(out, fmt.Sprintf("%s is assumed, %s to %s: %s was used", g.Name, g.Low, g.High, g.Quantity))
		}
	}
	if !q.Dim.Known() {
		out = append(out, fmt.Sprintf("the result is in %s, which is no quantity that the labs know: "+
			"is an operand upside down or missing?", q.Dim))
	}
	return out
}

// mixed warns of decimal beside binary multiples, with what the difference comes to at the binary one's size.
func mixed(dec, bin string) string {
	b, _ := lookup(bin)
	d, _ := lookup(bin[:1] + bin[2:])
	if bin[:1] == "K" {
		d, _ = lookup("k" + bin[2:])
	}
	bytes, _ := decimalNumber{digits: "1"}.value(unit{exp10: d.exp10, mult: d.mult})
	return fmt.Sprintf("%s and %s are mixed: a %s is %.1f %% more than a %s", dec, bin, b.symbol, 100*(b.mult/bytes-1), d.symbol)
}
