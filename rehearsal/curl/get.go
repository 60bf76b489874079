package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
)

// Windows' numbers of what Go knows by Unix' names only.
const (
	windowsNetUnreachable  = syscall.Errno(10051)
	windowsTimedOut        = syscall.Errno(10060)
	windowsRefused         = syscall.Errno(10061)
	windowsHostUnreachable = syscall.Errno(10065)
)

// failure is why there is no answer, in curl's numbers and nearly its words.
type failure struct {
	code int
	text string
}

// get writes what a URL answers.
func (r *request) get(address string, out io.Writer) *failure {
	target, err := url.Parse(address)
	if err != nil || target.Scheme != "http" || target.Hostname() == "" {
		return &failure{badURL, fmt.Sprintf("URL rejected: %q is not http://<host>", address)}
	}
	ctx := context.Background()
	if r.maxTime > 0 {
		limited, cancel := context.WithTimeout(ctx, r.maxTime)
		defer cancel()
		ctx = limited
	}
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return &failure{badURL, err.Error()}
	}
	for _, header := range r.headers {
		ask.Header.Add(header[0], header[1])
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(ask)
	if err != nil {
		return r.explain(target, err)
	}
	defer answer.Body.Close()
	if r.fail && answer.StatusCode >= http.StatusBadRequest {
		return &failure{refusedByHTTP, fmt.Sprintf("The requested URL returned error: %d", answer.StatusCode)}
	}
	if _, err := io.Copy(out, answer.Body); err != nil {
		var write *os.PathError
		if errors.As(err, &write) {
			return &failure{writeFailed, "Failure writing output to destination"}
		}
		return r.explain(target, err)
	}
	return nil
}

// explain sorts an error of Go's into curl's kinds.
func (r *request) explain(target *url.URL, err error) *failure {
	var name *net.DNSError
	if errors.As(err, &name) {
		return &failure{notResolved, "Could not resolve host: " + target.Hostname()}
	}
	var number syscall.Errno
	errors.As(err, &number)
	var timeout net.Error
	isTimeout := errors.As(err, &timeout) && timeout.Timeout()
	var call *net.OpError
	if errors.As(err, &call) && call.Op == "dial" && !isTimeout {
		return &failure{notConnected, fmt.Sprintf("connect to %s failed: %s", target.Host, connectText(number, err))}
	}
	switch {
	case isTimeout:
		return &failure{timedOut, fmt.Sprintf("Operation timed out after %d milliseconds", r.maxTime.Milliseconds())}
	case errors.Is(err, io.EOF):
		return &failure{nothingCame, "Empty reply from server"}
	default:
		return &failure{receiveFailure, "Recv failure: " + err.Error()}
	}
}

func connectText(number syscall.Errno, err error) string {
	switch number {
	case syscall.ECONNREFUSED, windowsRefused:
		return "Connection refused"
	case syscall.EHOSTUNREACH, windowsHostUnreachable:
		return "No route to host"
	case syscall.ENETUNREACH, windowsNetUnreachable:
		return "Network is unreachable"
	case syscall.ETIMEDOUT, windowsTimedOut:
		return "Connection timed out"
	}
	return err.Error()
}
