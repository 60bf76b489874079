// Package syscall, for Wine: added to Go's own; see toolchain/windows-goroot-overlay.ts.

package syscall

// udpNetReset is SIO_UDP_NETRESET, which Wine 8 does not know: whether a UDP socket reports networks that are unreachable. Go
// turns that off for each, and Wine never reports any.
const udpNetReset = IOC_IN | IOC_VENDOR | 15

func WSAIoctl(s Handle, iocc uint32, inbuf *byte, cbif uint32, outbuf *byte, cbob uint32, cbbr *uint32, overlapped *Overlapped, completionRoutine uintptr) error {
	if iocc == udpNetReset {
		return nil
	}
	return goWSAIoctl(s, iocc, inbuf, cbif, outbuf, cbob, cbbr, overlapped, completionRoutine)
}
