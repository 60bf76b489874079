//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// killedCode is the exit code of a killed process, as container runtimes report it.
const killedCode = 128 + int32(syscall.SIGKILL)

// job groups the processes of a container. This implementation, which tests use, is a process group.
type job struct{ leader int }

func newJob() (*job, error) { return &job{}, nil }

func (j *job) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: j.leader}
}

func (j *job) add(process *os.Process) error {
	if j.leader == 0 {
		j.leader = process.Pid
	}
	return nil
}

func (j *job) terminate() error { return j.signal(1, syscall.SIGTERM) }

func (j *job) kill() error { return j.signal(-1, syscall.SIGKILL) }

func (j *job) signal(sign int, signal syscall.Signal) error {
	if j.leader == 0 {
		return nil // 0 would mean this program's own group
	}
	return syscall.Kill(sign*j.leader, signal)
}

func (j *job) close() error { return nil }

func exitCode(state *os.ProcessState) int32 {
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return 128 + int32(wait.Signal())
	}
	return int32(state.ExitCode())
}
