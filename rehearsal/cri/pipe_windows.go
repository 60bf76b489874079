package main

import (
	"net"
	"time"

	"github.com/Microsoft/go-winio"
)

// pipeRoot begins the name of every named pipe.
const pipeRoot = `\\.\pipe\`

// occupied keeps connections open for as long as this program runs.
var occupied []net.Conn

// occupyFirstInstance connects to a pipe once, as soon as it is there, and holds the connection.
//
// Go's listeners make a first instance of their pipe only to reserve its name. Windows lets no client connect to it;
// Wine does, and nobody ever answers there: so that client is this one, and kubelet and kubeadm get other instances.
func occupyFirstInstance(pipe string, limit time.Duration) error {
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		timeout := time.Second
		connection, err := winio.DialPipe(pipeRoot+pipe, &timeout)
		if err == nil {
			occupied = append(occupied, connection)
			return nil
		}
		if time.Now().After(end) {
			return err
		}
	}
}
