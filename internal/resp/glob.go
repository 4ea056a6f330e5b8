package resp

// match reports whether a key is one that the pattern means: * for any bytes, ?
// for one, [abc], [^abc] and [a-c] for one of some, and \ before a byte that
// means itself. It goes back to the last star only, so that it takes at most
// len(pattern) x len(key) steps whatever a client asks for.
func match(pattern, key []byte) bool {
	p, k := 0, 0
	star, mark := -1, 0
	for k < len(key) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, k
			p++
			continue
		}
		if p < len(pattern) {
			if n, ok := matchOne(pattern[p:], key[k]); ok {
				p, k = p+n, k+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, k = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne holds a byte against what the pattern begins with, and returns how
// much of the pattern that was.
func matchOne(pattern []byte, c byte) (n int, ok bool) {
	switch {
	case pattern[0] == '?':
		return 1, true
	case pattern[0] == '[':
		return matchSet(pattern, c)
	case pattern[0] == '\\' && len(pattern) > 1:
		return 2, pattern[1] == c
	}
	return 1, pattern[0] == c
}

// matchSet holds a byte against a set. One that does not end is all of the rest
// of the pattern, as in Redis.
func matchSet(pattern []byte, c byte) (n int, ok bool) {
	i, not, found := 1, false, false
	if i < len(pattern) && pattern[i] == '^' {
		not = true
		i++
	}
	for ; i < len(pattern) && pattern[i] != ']'; i++ {
		switch {
		case pattern[i] == '\\' && i+1 < len(pattern):
			i++
			found = found || pattern[i] == c
		case i+2 < len(pattern) && pattern[i+1] == '-':
			low, high := min(pattern[i], pattern[i+2]), max(pattern[i], pattern[i+2])
			found = found || low <= c && c <= high
			i += 2
		default:
			found = found || pattern[i] == c
		}
	}
	return min(i+1, len(pattern)), found != not
}
