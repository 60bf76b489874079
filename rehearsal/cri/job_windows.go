package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// killedCode is the exit code of a killed process, as in hcsshim.
const killedCode int32 = 1

// shutdownEvent is CTRL_SHUTDOWN_EVENT, Windows' counterpart of SIGTERM.
const shutdownEvent = 6

const memberRights = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_CREATE_THREAD |
	windows.PROCESS_QUERY_INFORMATION | windows.PROCESS_VM_OPERATION | windows.PROCESS_VM_READ | windows.PROCESS_VM_WRITE

var (
	ctrlRoutine        = windows.NewLazySystemDLL("kernelbase.dll").NewProc("CtrlRoutine")
	createRemoteThread = windows.NewLazySystemDLL("kernel32.dll").NewProc("CreateRemoteThread")
)

// job groups the processes of a container in a job object, as hcsshim does for HostProcess containers. They end when
// this program ends.
type job struct {
	handle windows.Handle
	leader int
}

func newJob() (*job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("no job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(handle)
		return nil, fmt.Errorf("the job object takes no limits: %w", err)
	}
	return &job{handle: handle}, nil
}

// prepare keeps a process from getting a console, which under Wine is another program. Only cmd.exe gets one, because
// otherwise each program it starts would get its own and write there instead of to the log.
func (j *job) prepare(cmd *exec.Cmd) {
	flags := uint32(windows.DETACHED_PROCESS)
	if strings.EqualFold(filepath.Base(cmd.Path), "cmd.exe") {
		flags = windows.CREATE_NO_WINDOW
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
}

func (j *job) add(process *os.Process) error {
	member, err := windows.OpenProcess(memberRights, false, uint32(process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(member)
	if j.leader == 0 {
		j.leader = process.Pid
	}
	return windows.AssignProcessToJobObject(j.handle, member)
}

// terminate sends the container's own process a shutdown event as hcsshim does: by a thread in that process that runs
// the handler of console events.
func (j *job) terminate() error {
	member, err := windows.OpenProcess(memberRights, false, uint32(j.leader))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(member)
	if err := ctrlRoutine.Find(); err != nil {
		return err
	}
	thread, _, err := createRemoteThread.Call(uintptr(member), 0, 0, ctrlRoutine.Addr(), shutdownEvent, 0, 0)
	if thread == 0 {
		return err
	}
	return windows.CloseHandle(windows.Handle(thread))
}

func (j *job) kill() error { return windows.TerminateJobObject(j.handle, uint32(killedCode)) }

func (j *job) close() error { return windows.CloseHandle(j.handle) }

func exitCode(state *os.ProcessState) int32 { return int32(state.ExitCode()) }
