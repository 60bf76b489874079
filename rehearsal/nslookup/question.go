package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// question is what a server is asked for.
type question struct {
	name   string
	server netip.Addr
	// port is the server's; 53 but in tests.
	port    uint16
	timeout time.Duration
}

// parse reads nslookup's arguments, as far as they are known here; one that is not is an error that names it.
func parse(args []string) (*question, error) {
	q := &question{port: 53, timeout: 2 * time.Second}
	var words []string
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch {
		case key == "-timeout":
			seconds, err := strconv.ParseUint(value, 10, 16)
			if err != nil || seconds == 0 {
				return nil, fmt.Errorf("Invalid option: timeout=%s", value)
			}
			q.timeout = time.Duration(seconds) * time.Second
		case strings.EqualFold(arg, "-type=A"):
			// Nothing else is asked for in any case.
		case strings.HasPrefix(arg, "-"):
			return nil, fmt.Errorf("Invalid option: %s is unknown to the nslookup of the rehearsal", arg)
		default:
			words = append(words, arg)
		}
	}
	if len(words) != 2 {
		return nil, fmt.Errorf("a name and the address of a server are needed")
	}
	server, err := netip.ParseAddr(words[1])
	if err != nil || !server.Is4() {
		return nil, fmt.Errorf("Can't find address for server %s: it must be an IPv4 address here", words[1])
	}
	q.name, q.server = strings.TrimSuffix(words[0], "."), server
	return q, nil
}

// ask returns the addresses of the name, or why there are none, nearly in the words of Windows' own.
func (q *question) ask() ([]netip.Addr, string) {
	ctx, cancel := context.WithTimeout(context.Background(), q.timeout)
	defer cancel()
	dialer := net.Dialer{}
	resolver := net.Resolver{
		// Go's own resolver: the system's cannot be told whom to ask.
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, netip.AddrPortFrom(q.server, q.port).String())
		},
	}
	// The dot keeps a search list off the name.
	addresses, err := resolver.LookupNetIP(ctx, "ip4", q.name+".")
	if err == nil {
		return addresses, ""
	}
	var failed *net.DNSError
	switch errors.As(err, &failed); {
	case failed != nil && failed.IsNotFound:
		return nil, fmt.Sprintf("UnKnown can't find %s: Non-existent domain", q.name)
	case failed != nil && failed.IsTimeout, ctx.Err() != nil:
		return nil, "Request to UnKnown timed-out"
	default:
		return nil, fmt.Sprintf("UnKnown can't be asked for %s: %v", q.name, err)
	}
}

// answer is the addresses as Windows' own prints them.
func (q *question) answer(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for i, address := range addresses {
		texts[i] = address.Unmap().String()
	}
	label := "Address:"
	if len(texts) > 1 {
		label = "Addresses:"
	}
	return fmt.Sprintf("Name:    %s\n%s  %s\n\n", q.name, label, strings.Join(texts, "\n          "))
}
