// Package axioms holds the numbers that are taken as given, and the arithmetic that may be done with them.
//
// # Quantities
//
// A Quantity is a number in base units (bytes, seconds, FLOP) with its dimension. Adding a size to a time is an error
// that names both; dividing a size by a bandwidth gives a time. What is only counted, such as tokens, records or system
// calls, is a plain number. Inside the program and in results.json everything stands in base units; Parse and Format
// are the way in from people and out to them, and Exact is the form that loses nothing.
//
// Case carries meaning: MB is a million bytes, Mbit a million bits, and MiB 1,048,576 bytes. What people write in more
// than one sense (Mb, KB, FLOPS, 1,5) is refused with the spellings that it may have been meant for; nothing is guessed.
//
// # Axioms
//
// A Constant is assumed: it holds for a class of hardware, or is what a question takes as given. A Measured comes from
// this machine and this run. A Set lays the measured ones over the constants, and Get says which of the two it gave.
//
// # Floors
//
// Floor divides a size by the bandwidth of every layer that the bytes could have gone through. A measured time under a
// layer's floor rules that layer out: whatever took that time, the bytes did not go there meanwhile.
//
// # Expressions
//
// Eval reckons with quantities and the names of axioms:
//
//	expression = product { ( "+" | "-" ) product } .
//	product    = signed { ( "*" | "/" ) signed } .
//	signed     = { "+" | "-" } power .
//	power      = primary [ "^" [ "-" ] digits ] .
//	primary    = quantity | name | call | "(" expression ")" .
//	call       = function "(" expression { "," expression } ")" .
//	function   = "ceil" | "floor" | "sqrt" | "log2" | "log10" | "min" | "max" .
//	quantity   = number [ unit ] .
//	unit       = ( atom | "/" atom ) { ( "/" | "*" ) atom } .
//	atom       = ( letters | "%" ) [ "^" [ "-" ] digits ] .
//	number     = ( whole [ "." digits ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ] .
//	whole      = digits { "_" digits } | group { "," group of three digits } .
//	name       = letter { letter | digit | "_" | "-" before a letter } .
//
// A unit belongs to the number before it and reaches as far as it can: over every "/" and "*" that has a unit behind it,
// but never over one that has a number, a name, a call or a bracket there. So "8 B / 2 GB/s" is 8 B / (2 GB/s), and "8 B / s" is
// 8 bytes per second. The price is that "1/3 s" is 1 / (3 s). Result.Text restates the expression with brackets that
// leave no doubt.
//
// A hyphen between a letter or digit and a letter is part of a name: "dram-copy" is one axiom, and a subtraction of
// names wants spaces, "fsync-disk - fsync-plp". An underscore may stand for the hyphen. The signs −, ×, · and ÷ are read
// as -, *, * and /. Spaces are free otherwise, and needed nowhere else. Inside a call "1,000" is refused, since it could
// be two arguments: write 1_000.
//
// Powers are whole numbers from -64 to 64, those of a unit from -9 to 9. A power next to a unit is the unit's ("4 s^2"),
// one on a bracket is the quantity's. ceil and floor take plain numbers, bytes and FLOP; the logarithms take plain
// numbers. An expression is at most 1,000 bytes long with brackets at most 50 deep, so that its evaluation always ends
// soon.
//
// These are no errors but come back as warnings: decimal and binary multiples in one expression (GB and GiB), an assumed
// axiom that is a range, and a result in a unit that means nothing to the labs, such as B^2.
package axioms
