// Package os, for programs in the rehearsal guest's pods: in place of Go's own file; see toolchain/windows-goroot-overlay.ts.

package os

import (
	"internal/syscall/windows"
	"syscall"
)

// hostname returns the name of the pod, which a container has instead of the machine's.
func hostname() (name string, err error) {
	if pod := Getenv("REHEARSAL_HOSTNAME"); pod != "" {
		return pod, nil
	}
	n := uint32(64)
	b := make([]uint16, n)
	if err := windows.GetComputerNameEx(windows.ComputerNamePhysicalDnsHostname, &b[0], &n); err != nil {
		return "", NewSyscallError("ComputerNameEx", err)
	}
	return syscall.UTF16ToString(b[:n]), nil
}
