//go:build !linux && !darwin

package host

import "errors"

var errSystem = errors.New("not known on this system")

func (local) Statfs(string) (Statfs, error) { return Statfs{}, errSystem }

func (local) Sysctl(string) (string, error) { return "", errSystem }
