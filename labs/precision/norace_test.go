//go:build !race

package precision

// raceDetector says that memory accesses are watched, at ten times the time.
const raceDetector = false
