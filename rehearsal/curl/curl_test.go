package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestArguments(t *testing.T) {
	asked := []string{
		"--silent", "--show-error", "--verbose", "--fail", "--noproxy", "*", "--max-time", "4",
		"--header", "Connection: close", "http://a/", "http://b/",
	}
	r, err := parse(asked)
	if err != nil {
		t.Fatal(err)
	}
	if !r.silent || !r.showError || !r.fail || r.maxTime != 4*time.Second || len(r.urls) != 2 ||
		len(r.headers) != 1 || r.headers[0] != [2]string{"Connection", "close"} {
		t.Errorf("read as %+v", r)
	}
	for wrong, said := range map[string]string{
		"":                       "no URL",
		"--location http://a/":   "--location",
		"http://a/ --max-time":   "requires parameter",
		"--max-time x http://a/": `"x"`,
		"--header x http://a/":   "no colon",
	} {
		if _, err := parse(strings.Fields(wrong)); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestAnswersAndFailures(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, ask *http.Request) {
		switch ask.URL.Path {
		case "/hostname":
			w.Write([]byte("win-1"))
		case "/slow":
			<-ask.Context().Done()
		case "/away":
			http.Redirect(w, ask, "/hostname", http.StatusFound)
		case "/gone":
			panic(http.ErrAbortHandler)
		default:
			http.NotFound(w, ask)
		}
	}))
	defer server.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + silent.Addr().String()
	silent.Close()
	for address, each := range map[string]struct {
		code int
		text string
	}{
		server.URL + "/hostname":  {0, "win-1"},
		server.URL + "/missing":   {refusedByHTTP, "error: 404"},
		server.URL + "/slow":      {timedOut, "timed out"},
		server.URL + "/away":      {0, ""},
		server.URL + "/gone":      {nothingCame, "Empty reply"},
		closed:                    {notConnected, "Connection refused"},
		"http://no-such.invalid/": {notResolved, "Could not resolve host: no-such.invalid"},
		"ftp://127.0.0.1/":        {badURL, "URL rejected"},
		"http://[::1":             {badURL, "URL rejected"},
	} {
		// Names are asked of a real resolver, which may take its time to have none.
		r := &request{fail: true, maxTime: 30 * time.Second}
		if strings.HasSuffix(address, "/slow") {
			r.maxTime = 200 * time.Millisecond
		}
		out := &bytes.Buffer{}
		got := r.get(address, out)
		if each.code == 0 {
			if got != nil || !strings.Contains(out.String(), each.text) {
				t.Errorf("%s: %v, %q", address, got, out)
			}
		} else if got == nil || got.code != each.code || !strings.Contains(got.text, each.text) || out.Len() > 0 {
			t.Errorf("%s: %+v, %q", address, got, out)
		}
	}
}
