//go:build !race

package prereg

const raceDetector = false
