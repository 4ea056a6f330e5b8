package slots

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// FuzzReadTrace offers any bytes as a trace. Either every line is a request
// within the limits, and writing them down and reading that gives them again; or
// there is a short message that says where.
func FuzzReadTrace(f *testing.F) {
	f.Add([]byte(head + two))
	f.Add([]byte("\ufeff" + head + two))
	f.Add([]byte("GeneratedTokens,x,TIMESTAMP,ContextTokens\r\n44,,2024-05-10 00:00:00.009930+00:00,374\r\n"))
	f.Add([]byte(head + "2023-11-16 18:15:46,-1,0\n"))
	f.Add([]byte(head + "2023-11-16 18:15:46,1,99999999999999999999\n\n\n"))
	f.Add([]byte(head + strings.Repeat("9", 2000)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []request
		err := readTrace(context.Background(), bytes.NewReader(data), 100, func(q request) { all = append(all, q) })
		if err != nil {
			if m := err.Error(); len(m) > 600 || !strings.Contains(m, "line ") || strings.ContainsAny(m, "\n\x00\x1b") {
				t.Fatalf("the message %q", m)
			}
			return
		}
		if lines := bytes.Count(data, []byte("\n")); len(all) == 0 || len(all) > lines || len(all) < lines-1 {
			t.Fatalf("%d requests in %d lines", len(all), lines)
		}
		again := head
		for _, q := range all {
			if q.prompt < 0 || q.prompt > mostTokens || q.output < 1 || q.output > mostTokens {
				t.Fatalf("accepted %+v", q)
			}
			again += fmt.Sprintf("2023-11-16 18:15:46,%d,%d\n", q.prompt, q.output)
		}
		i := 0
		if err := readTrace(context.Background(), strings.NewReader(again), 100, func(q request) {
			if q != all[i] {
				t.Fatalf("read %+v again as %+v", all[i], q)
			}
			i++
		}); err != nil {
			t.Fatal(err)
		}
	})
}
