package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// request is what is asked for.
type request struct {
	silent    bool
	showError bool
	fail      bool
	// maxTime is how long each URL may take; 0 is for ever.
	maxTime time.Duration
	headers [][2]string
	urls    []string
}

// parse reads curl's arguments, as far as they are known here; one that is not is an error that names it.
func parse(args []string) (*request, error) {
	r := &request{}
	for len(args) > 0 {
		name := args[0]
		args = args[1:]
		switch name {
		case "-s", "--silent":
			r.silent = true
		case "-S", "--show-error":
			r.showError = true
		case "-f", "--fail":
			r.fail = true
		case "-v", "--verbose":
			// What went wrong is told in any case; what went well is not asked for.
		case "--noproxy", "-m", "--max-time", "-H", "--header":
			if len(args) == 0 {
				return nil, fmt.Errorf("option %s: requires parameter", name)
			}
			if err := r.set(name, args[0]); err != nil {
				return nil, err
			}
			args = args[1:]
		default:
			if strings.HasPrefix(name, "-") {
				return nil, fmt.Errorf("option %s: is unknown to the curl of the rehearsal", name)
			}
			r.urls = append(r.urls, name)
		}
	}
	if len(r.urls) == 0 {
		return nil, fmt.Errorf("no URL specified")
	}
	return r, nil
}

func (r *request) set(name, value string) error {
	switch name {
	case "-m", "--max-time":
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil || seconds < 0 {
			return fmt.Errorf("option %s: expected a proper numerical parameter, not %q", name, value)
		}
		r.maxTime = time.Duration(seconds * float64(time.Second))
	case "-H", "--header":
		key, text, found := strings.Cut(value, ":")
		if !found {
			return fmt.Errorf("option %s: %q has no colon", name, value)
		}
		r.headers = append(r.headers, [2]string{strings.TrimSpace(key), strings.TrimSpace(text)})
	}
	return nil
}
