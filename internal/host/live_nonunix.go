//go:build !unix

package host

func (local) Device(string) (Number, error) { return Number{}, errSystem }

func (local) Uname() (Uname, error) { return Uname{}, errSystem }
