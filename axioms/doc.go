// Package axioms holds the numbers that are taken as given, and the arithmetic that may be done with them.
package axioms
