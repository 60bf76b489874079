// Package net, for programs in the rehearsal guest's pods: added to Go's own; see toolchain/windows-goroot-overlay.ts.

package net

import (
	"internal/syscall/windows"
	"os"
	"syscall"
)

// ipx is WS_NSPROTO_IPX. Wine passes this protocol and the 255 after it to its server unchanged. Nobody uses IPX, so there
// they are the numbers of network namespaces (rehearsal/wine/server/pod-sockets.c).
const ipx = 1000

// compartment is the number of the namespace of the pod that this program runs in, 0 on the machine's own network.
var compartment, _, _ = dtoi(os.Getenv("REHEARSAL_COMPARTMENT"))

func init() {
	wsaSocketFunc = func(family, sotype, protocol int32, info *syscall.WSAProtocolInfo, group, flags uint32) (syscall.Handle, error) {
		if compartment != 0 {
			protocol = ipx + int32(compartment)
		}
		socket, err := windows.WSASocket(family, sotype, protocol, info, group, flags)
		if err == nil && sotype == syscall.SOCK_STREAM {
			// Wine's server would let only one program of all pods listen on a port. Linux still lets only one of each.
			err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
		}
		return socket, err
	}
	if compartment != 0 {
		// The system's resolver would ask from the machine's own network.
		DefaultResolver.PreferGo = true
	}
}
