// Package ladder.
package ladder
