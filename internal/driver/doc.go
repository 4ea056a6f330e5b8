// Package driver runs labs: it selects them, gives each a scratch directory on
// the file system under test, a seed and a time budget, and is the only caller
// of Lab.Measure. It judges every claim by one rule, measures again what came
// out failed, and makes void whatever rests on a claim that did not hold.
package driver
