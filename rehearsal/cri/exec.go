package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// execOutputBytes is how much of a command's output is kept for kubelet, as containerd has it.
const execOutputBytes = 16 << 20

// running is the process of a container that really runs.
//
// The error of a container that is only modelled says so, and what would need a real one.
func (s *server) running(id, what string) (*hostProcess, error) {
	err := s.read(func(st *state) error {
		c, err := st.container(id)
		if err != nil {
			return err
		}
		if !c.Process {
			return refuse(what)
		}
		if c.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
			return status.Errorf(codes.FailedPrecondition, "the container %s does not run", id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p := s.processes.get(id)
	if p == nil || p.started() == nil {
		return nil, status.Errorf(codes.FailedPrecondition, "the container %s does not run", id)
	}
	return p, nil
}

// ExecSync runs a command beside a container's process, to its end: kubelet's probes.
func (s *server) ExecSync(ctx context.Context, in *runtimeapi.ExecSyncRequest) (*runtimeapi.ExecSyncResponse, error) {
	p, err := s.running(in.GetContainerId(), "running a command in it")
	if err != nil {
		return nil, err
	}
	if in.GetTimeout() > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(in.GetTimeout())*time.Second)
		defer cancel()
		ctx = limited
	}
	stdout, stderr := &firstBytes{limit: execOutputBytes}, &firstBytes{limit: execOutputBytes}
	code, err := p.exec(ctx, in.GetCmd(), nil, stdout, stderr)
	if ctx.Err() != nil {
		// By this code kubelet knows a probe that took too long.
		return nil, status.Errorf(codes.DeadlineExceeded, "the command %q did not end in time", in.GetCmd())
	}
	if err != nil {
		return nil, status.Error(codes.Unknown, err.Error())
	}
	return &runtimeapi.ExecSyncResponse{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: code}, nil
}

// exec runs a command among the container's processes until it ends or the context does, which kills it.
func (p *hostProcess) exec(ctx context.Context, words []string, stdin io.Reader, stdout, stderr io.Writer) (int32, error) {
	cmd, err := p.command(words)
	if unknown := (notRecognized{}); errors.As(err, &unknown) {
		if stderr != nil {
			io.WriteString(stderr, unknown.Error())
		}
		return notRecognizedCode, nil
	}
	if err != nil {
		return 0, err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	var input io.WriteCloser
	if stdin != nil {
		// Not as cmd.Stdin: its end would be waited for, and a user may leave a terminal open.
		if input, err = cmd.StdinPipe(); err != nil {
			return 0, err
		}
	}
	if err := startIn(p.started(), cmd); err != nil {
		return 0, err
	}
	if input != nil {
		go func() {
			io.Copy(input, stdin)
			input.Close()
		}()
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return 0, fmt.Errorf("%q could not be waited for: %w", words[0], err)
	}
	return exitCode(cmd.ProcessState), nil
}

// firstBytes keeps the beginning of what is written to it.
type firstBytes struct {
	bytes.Buffer
	limit int
}

// Write takes everything, and forgets what is too much.
func (b *firstBytes) Write(output []byte) (int, error) {
	b.Buffer.Write(output[:min(len(output), b.limit-b.Len())])
	return len(output), nil
}
