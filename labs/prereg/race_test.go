//go:build race

package prereg

// raceDetector says that memory accesses are watched, at many times the time.
const raceDetector = true
