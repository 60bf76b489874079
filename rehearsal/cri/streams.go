package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// serveStreams serves kubectl's streams on a loopback port, as containerd does. kubelet connects to the URL that Exec
// returns, which contains a single-use token.
func (s *server) serveStreams() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("no port for kubectl exec: %w", err)
	}
	config := streaming.DefaultConfig
	config.BaseURL = &url.URL{Scheme: "http", Host: listener.Addr().String()}
	if s.streams, err = streaming.NewServer(config, &streamRuntime{s}); err != nil {
		return err
	}
	go http.Serve(listener, s.streams)
	return nil
}

// streamRuntime handles the requests of streams.
type streamRuntime struct{ server *server }

// Exec runs a command. A terminal is only a plain stream, without a size.
func (r *streamRuntime) Exec(ctx context.Context, id string, words []string, stdin io.Reader, stdout, stderr io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	p, err := r.server.running(id, "kubectl exec")
	if err != nil {
		return err
	}
	code, err := p.exec(ctx, words, stdin, writerOf(stdout), writerOf(stderr))
	if err != nil {
		return err
	}
	if code != 0 {
		return utilexec.CodeExitError{Err: fmt.Errorf("exit code %d", code), Code: int(code)}
	}
	return nil
}

func (r *streamRuntime) Attach(context.Context, string, io.Reader, io.WriteCloser, io.WriteCloser, bool, <-chan remotecommand.TerminalSize) error {
	return refuse("kubectl attach")
}

func (r *streamRuntime) PortForward(context.Context, string, int32, io.ReadWriteCloser) error {
	return refuse("kubectl port-forward")
}

// writerOf converts a stream to a writer. A nil stream becomes a nil interface, which a direct conversion would not give.
func writerOf(stream io.WriteCloser) io.Writer {
	if stream == nil {
		return nil
	}
	return stream
}

// Exec returns the URL at which kubelet finds the streams of a command.
func (s *server) Exec(_ context.Context, in *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	if _, err := s.running(in.GetContainerId(), "kubectl exec"); err != nil {
		return nil, err
	}
	return s.streams.GetExec(in)
}
