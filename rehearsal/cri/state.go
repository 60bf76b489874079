package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Names under which kubelet knows how a container came to its end; the first three are containerd's.
const (
	reasonStopped    = "Completed"
	reasonFailed     = "Error"
	reasonNotStarted = "StartError"
	reasonRebooted   = "Rebooted"
	// reasonLost is that of a process that ended with this program, which then was started anew.
	reasonLost = "RuntimeRestarted"
)

// Exit codes of containers whose process had no say in it, as containerd has them.
const (
	startErrorCode int32 = 128
	unknownCode    int32 = 255
)

// state is what is modelled; it survives restarts of this program and of the machine.
type state struct {
	// Boot names the boot of the machine in which this was written.
	Boot string `json:"boot"`
	// PodCIDR is where pods' addresses come from; kubelet tells it when the node has been given one.
	PodCIDR    netip.Prefix          `json:"podCIDR"`
	Sandboxes  map[string]*sandbox   `json:"sandboxes"`
	Containers map[string]*container `json:"containers"`
	// Images by the reference they were asked for by, e.g. registry.k8s.io/pause:3.10.2.
	Images map[string]*runtimeapi.Image `json:"images"`

	// file is where it is kept.
	file string
}

type sandbox struct {
	Status *runtimeapi.PodSandboxStatus `json:"status"`
	// HostProcess says that its containers may be processes of the machine.
	HostProcess  bool   `json:"hostProcess"`
	LogDirectory string `json:"logDirectory"`
}

type container struct {
	SandboxID string `json:"sandboxID"`
	// Status has nothing of the environment, which may hold secrets and would lie on the disk.
	Status *runtimeapi.ContainerStatus `json:"status"`
	// Process says that it is not modelled: its program really runs, or did.
	Process bool `json:"process"`
}

// loadState reads the state; after a reboot of the machine nothing that was written before it runs any more, and after a
// restart of this program none of its processes.
func loadState(file, boot string, now time.Time) (*state, error) {
	st := &state{
		Boot:       boot,
		Sandboxes:  map[string]*sandbox{},
		Containers: map[string]*container{},
		Images:     map[string]*runtimeapi.Image{},
		file:       file,
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err == nil {
		err = json.Unmarshal(text, st)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged, remove it to forget all pods: %w", file, err)
	}
	rebooted := st.Boot != boot
	st.Boot = boot
	for _, sb := range st.Sandboxes {
		if rebooted {
			sb.Status.State = runtimeapi.PodSandboxState_SANDBOX_NOTREADY
		}
	}
	for _, c := range st.Containers {
		if c.Status.State == runtimeapi.ContainerState_CONTAINER_EXITED {
			continue
		}
		if rebooted {
			c.exit(now, unknownCode, reasonRebooted)
		} else if c.Process {
			c.exit(now, unknownCode, reasonLost)
		}
	}
	return st, nil
}

// save writes the state so that a reader sees the old one or the new one.
func (st *state) save() error {
	text, err := json.Marshal(st)
	if err == nil {
		err = os.WriteFile(st.file+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(st.file+".new", st.file)
	}
	if err != nil {
		return fmt.Errorf("the modelled containers can't be written to disk: %w", err)
	}
	return nil
}

func (st *state) container(id string) (*container, error) {
	if c := st.Containers[id]; c != nil {
		return c, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no container %s", id)
}

func (c *container) isRunning() bool {
	return c.Status.State == runtimeapi.ContainerState_CONTAINER_RUNNING
}

func (c *container) exit(now time.Time, code int32, reason string) {
	c.Status.State = runtimeapi.ContainerState_CONTAINER_EXITED
	c.Status.FinishedAt = now.UnixNano()
	c.Status.ExitCode = code
	c.Status.Reason = reason
}
