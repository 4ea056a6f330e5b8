// Package labs is the registry: every lab that the suite runs, in teaching
// order.
package labs

import (
	"envelope/internal/lab"
	"envelope/labs/barrier"
	"envelope/labs/buffered"
	"envelope/labs/groupcommit"
	"envelope/labs/kvcache"
	"envelope/labs/ladder"
	"envelope/labs/launch"
	"envelope/labs/paging"
	"envelope/labs/pipelining"
	"envelope/labs/precision"
	"envelope/labs/prereg"
	"envelope/labs/ridge"
	"envelope/labs/slots"
	"envelope/labs/speculate"
	"envelope/labs/torntail"
	"envelope/labs/writeahead"
)

// All lists the labs. What is left out stands here with its reason:
// the other three studies are not written yet.
var All = []*lab.Lab{
	buffered.Lab,
	ladder.Lab,
	barrier.Lab,
	writeahead.Lab,
	groupcommit.Lab,
	torntail.Lab,
	ridge.Lab,
	kvcache.Lab,
	slots.Lab,
	paging.Lab,
	launch.Lab,
	speculate.Lab,
	pipelining.Lab,
	precision.Lab,
	prereg.Lab,
}
