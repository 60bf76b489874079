// Package net, for Wine: added to Go's own; see toolchain/windows-goroot-overlay.ts.

package net

import (
	"context"
	"os"
	"syscall"
)

// listenUnix listens on the loopback interface instead, since Wine has no AF_UNIX sockets, and writes the address that
// it got into the file that would be the socket. Nothing in a node dials such a socket; they only have to open.
func (sl *sysListener) listenUnix(ctx context.Context, laddr *UnixAddr) (*UnixListener, error) {
	loopback := &TCPAddr{IP: IPv4(127, 0, 0, 1)}
	fd, err := internetSocket(ctx, "tcp4", loopback, nil, syscall.SOCK_STREAM, 0, "listen", nil)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(laddr.Name, []byte(fd.laddr.String()), 0o600); err != nil {
		fd.Close()
		return nil, err
	}
	fd.laddr = laddr
	return &UnixListener{fd: fd, path: laddr.Name, unlink: true}, nil
}
