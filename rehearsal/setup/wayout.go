package main

import (
	"bufio"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// The way back that the other side of an SSH connection may have asked for: a port of this machine that leads there.
type wayOut struct {
	connection ssh.Conn
	asked      chan forward
}

// What is asked for, as RFC 4254, section 7.1 has it.
type forward struct {
	Address string
	Port    uint32
}

func newWayOut(connection ssh.Conn) *wayOut {
	return &wayOut{connection, make(chan forward, 1)}
}

// answer agrees to one port; a real server would listen on it.
func (w *wayOut) answer(requests <-chan *ssh.Request) {
	for request := range requests {
		var wanted forward
		agreed := false
		if request.Type == "tcpip-forward" && ssh.Unmarshal(request.Payload, &wanted) == nil {
			select {
			case w.asked <- wanted:
				agreed = true
			default:
			}
		}
		if request.WantReply {
			_ = request.Reply(agreed, nil)
		}
	}
}

// try asks for a tunnel to an image's registry as a client of the proxy does, and says what came of it.
func (w *wayOut) try(proxy, image string) string {
	host, _, _ := strings.Cut(image, "/")
	var there forward
	select {
	case there = <-w.asked:
		w.asked <- there
	default:
		return "warning: " + image + ": nothing leads out of this machine"
	}
	if wanted := fmt.Sprintf("http://%s:%d", there.Address, there.Port); proxy != wanted {
		return fmt.Sprintf("warning: %s: the proxy is %s, and the way out is %s", image, proxy, wanted)
	}
	// RFC 4254, section 7.2.
	channel, requests, err := w.connection.OpenChannel("forwarded-tcpip", ssh.Marshal(struct {
		Address    string
		Port       uint32
		Originator string
		FromPort   uint32
	}{there.Address, there.Port, "127.0.0.1", 49152}))
	if err != nil {
		return "warning: " + image + ": " + err.Error()
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	fmt.Fprintf(channel, "CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\n\r\n", host, host)
	answer, err := bufio.NewReader(channel).ReadString('\n')
	if err != nil {
		return "warning: " + image + ": " + err.Error()
	}
	if answer = strings.TrimSpace(answer); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		return "warning: " + image + " was not pulled: " + answer
	}
	return "the registry of " + image + " can be reached"
}
