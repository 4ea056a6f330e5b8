//go:build !race

package speculate

const raceDetector = false
