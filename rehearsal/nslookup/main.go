// Rehearsal-nslookup stands in for nslookup.exe, which Windows brings and Wine does not: as much of it as `kindows verify`
// asks for, one question for IPv4 addresses to one server. It prints what Windows' own does.
package main

import (
	"fmt"
	"os"
)

func main() {
	question, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "*** %v\n", err)
		os.Exit(1)
	}
	// The name of the server is not asked for: Windows' own writes UnKnown where there is none.
	fmt.Printf("Server:  UnKnown\nAddress:  %s\n\n", question.server)
	addresses, failure := question.ask()
	if failure != "" {
		fmt.Fprintf(os.Stderr, "*** %s\n", failure)
		os.Exit(1)
	}
	fmt.Print(question.answer(addresses))
}
