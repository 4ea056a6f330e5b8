package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The committed assembly is what the generator writes: neither was changed alone.
func TestCommittedFilesAreGenerated(t *testing.T) {
	dir := t.TempDir()
	command := exec.Command("go", "run", ".", "-out", filepath.Join(dir, "kernels_amd64.s"), "-stubs", filepath.Join(dir, "kernels_amd64.go"), "-pkg", "kernels")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("generating: %v\n%s", err, out)
	}
	for _, name := range []string{"kernels_amd64.s", "kernels_amd64.go"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body(got), body(want)) {
			t.Errorf("%s is not what the generator writes: run go generate ./internal/kernels", name)
		}
	}
}

// body is a file without its first line, which quotes the command.
func body(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}
