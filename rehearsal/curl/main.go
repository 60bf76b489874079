// Rehearsal-curl stands in for curl.exe, which Windows Server brings and Wine does not: as much of it as `kindows verify`
// asks for, with curl's own exit codes.
//
// It never goes by a proxy, and follows no redirection unasked, as curl does not.
package main

import (
	"fmt"
	"os"
)

// Exit codes of curl.
const (
	badUsage       = 2
	badURL         = 3
	notResolved    = 6
	notConnected   = 7
	refusedByHTTP  = 22
	writeFailed    = 23
	timedOut       = 28
	nothingCame    = 52
	receiveFailure = 56
)

func main() {
	request, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "curl: %v\n", err)
		os.Exit(badUsage)
	}
	code := 0
	// As with curl, the last one decides.
	for _, url := range request.urls {
		if failure := request.get(url, os.Stdout); failure != nil {
			code = failure.code
			if !request.silent || request.showError {
				fmt.Fprintf(os.Stderr, "curl: (%d) %s\n", failure.code, failure.text)
			}
		} else {
			code = 0
		}
	}
	os.Exit(code)
}
