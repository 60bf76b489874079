package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestArguments(t *testing.T) {
	q, err := parse([]string{"-timeout=4", "-type=A", "linux.kindows-verify.svc.cluster.local.", "10.96.0.10"})
	if err != nil {
		t.Fatal(err)
	}
	if q.timeout != 4*time.Second || q.name != "linux.kindows-verify.svc.cluster.local" ||
		q.server != netip.MustParseAddr("10.96.0.10") || q.port != 53 {
		t.Errorf("read as %+v", q)
	}
	for wrong, said := range map[string]string{
		"":                           "a name and the address",
		"name.test":                  "a name and the address",
		"name.test server.test":      "server.test",
		"name.test ::1":              "::1",
		"-timeout=0 name 10.0.0.1":   "timeout=0",
		"-type=MX name.test 10.0.0.": "-type=MX",
	} {
		if _, err := parse(strings.Fields(wrong)); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestAnswersAndFailures(t *testing.T) {
	server := serve(t)
	for name, each := range map[string]struct {
		printed string
		failure string
	}{
		"known.test":   {"Name:    known.test\nAddress:  10.96.1.1\n\n", ""},
		"two.test":     {"Name:    two.test\nAddresses:  10.96.1.1\n          10.96.1.2\n\n", ""},
		"unknown.test": {"", "UnKnown can't find unknown.test: Non-existent domain"},
		"silent.test":  {"", "Request to UnKnown timed-out"},
	} {
		q := &question{name: name, server: server.Addr(), port: server.Port(), timeout: time.Second}
		addresses, failure := q.ask()
		if failure != each.failure || (failure == "" && q.answer(addresses) != each.printed) {
			t.Errorf("%s: %q, %v", name, failure, addresses)
		}
	}
}

// serve answers questions by what the names are.
func serve(t *testing.T) netip.AddrPort {
	connection, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	go func() {
		message := make([]byte, 512)
		for {
			length, from, err := connection.ReadFrom(message)
			if err != nil {
				return
			}
			if answer := answerTo(message[:length]); answer != nil {
				connection.WriteTo(answer, from)
			}
		}
	}()
	return netip.MustParseAddrPort(connection.LocalAddr().String())
}

// answerTo makes the answer to a question (RFC 1035, 4.1): its header and question again, then addresses.
func answerTo(message []byte) []byte {
	end := 12
	for message[end] != 0 {
		end += int(message[end]) + 1
	}
	asked := message[12 : end+5]
	label := string(message[13 : 13+message[12]])
	header := append([]byte{}, message[:12]...)
	binary.BigEndian.PutUint16(header[2:], 0x8180)
	binary.BigEndian.PutUint16(header[10:], 0)
	last := map[string][]byte{"known": {1}, "two": {1, 2}, "unknown": {}}
	found, isAnswered := last[label]
	if !isAnswered {
		return nil
	}
	if len(found) == 0 {
		header[3] |= 3 // NXDOMAIN
	}
	binary.BigEndian.PutUint16(header[6:], uint16(len(found)))
	answer := append(header, asked...)
	for _, number := range found {
		// The name as in the question, A, IN, 30 s, four bytes.
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, 10, 96, 1, number)
	}
	return answer
}
