package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

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
	PodCIDR    string                `json:"podCIDR"`
	Sandboxes  map[string]*sandbox   `json:"sandboxes"`
	Containers map[string]*container `json:"containers"`
	// Images by the reference they were asked for by, e.g. registry.k8s.io/pause:3.10.2.
	Images map[string]*image `json:"images"`
}

type sandbox struct {
	ID             string                       `json:"id"`
	Config         *runtimeapi.PodSandboxConfig `json:"config"`
	RuntimeHandler string                       `json:"runtimeHandler"`
	CreatedAt      int64                        `json:"createdAt"`
	Ready          bool                         `json:"ready"`
	// IP is empty for pods on the host's own network.
	IP string `json:"ip"`
}

type container struct {
	ID         string                      `json:"id"`
	SandboxID  string                      `json:"sandboxID"`
	Config     *runtimeapi.ContainerConfig `json:"config"`
	ImageID    string                      `json:"imageID"`
	LogPath    string                      `json:"logPath"`
	State      runtimeapi.ContainerState   `json:"state"`
	CreatedAt  int64                       `json:"createdAt"`
	StartedAt  int64                       `json:"startedAt"`
	FinishedAt int64                       `json:"finishedAt"`
	ExitCode   int32                       `json:"exitCode"`
	Reason     string                      `json:"reason"`
	Message    string                      `json:"message"`
	// Process says that it is not modelled: its program really runs, or did.
	Process bool `json:"process"`
}

type image struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	PulledAt  int64  `json:"pulledAt"`
}

func newState(boot string) *state {
	return &state{
		Boot:       boot,
		Sandboxes:  map[string]*sandbox{},
		Containers: map[string]*container{},
		Images:     map[string]*image{},
	}
}

// loadState reads the state; after a reboot of the machine nothing that was written before it runs any more, and after a
// restart of this program none of its processes.
func loadState(file, boot string, now time.Time) (*state, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return newState(boot), nil
	}
	if err != nil {
		return nil, err
	}
	st := newState(boot)
	if err := json.Unmarshal(text, st); err != nil {
		return nil, fmt.Errorf("%s is damaged, remove it to forget all pods: %w", file, err)
	}
	if st.Boot != boot {
		st.Boot = boot
		for _, sb := range st.Sandboxes {
			sb.Ready = false
		}
		for _, c := range st.Containers {
			if c.State != runtimeapi.ContainerState_CONTAINER_EXITED {
				c.exit(now, unknownCode, reasonRebooted)
			}
		}
	}
	for _, c := range st.Containers {
		if c.Process && c.State != runtimeapi.ContainerState_CONTAINER_EXITED {
			c.exit(now, unknownCode, reasonLost)
		}
	}
	return st, nil
}

// saveState writes the state so that a reader sees the old one or the new one.
func saveState(file string, st *state) error {
	text, err := json.Marshal(st)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func (c *container) exit(now time.Time, code int32, reason string) {
	c.State = runtimeapi.ContainerState_CONTAINER_EXITED
	c.FinishedAt = now.UnixNano()
	c.ExitCode = code
	c.Reason = reason
}
