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

// Reasons for the end of a container, as kubelet shows them. The first three are containerd's.
const (
	reasonStopped    = "Completed"
	reasonFailed     = "Error"
	reasonNotStarted = "StartError"
	reasonRebooted   = "Rebooted"
	// reasonLost is for processes that ended because this program did.
	reasonLost = "RuntimeRestarted"
)

// Exit codes of containers that were not started or whose exit code is unknown, as in containerd.
const (
	startErrorCode int32 = 128
	unknownCode    int32 = 255
)

// state is the state of the model. It survives restarts of this program and of the machine.
type state struct {
	// Boot identifies the boot of the machine during which this was written.
	Boot string `json:"boot"`
	// PodCIDR is the range of pods' addresses. kubelet sends it once the node has one.
	PodCIDR    netip.Prefix          `json:"podCIDR"`
	Sandboxes  map[string]*sandbox   `json:"sandboxes"`
	Containers map[string]*container `json:"containers"`
	// Images by the reference with which they were pulled, e.g. registry.k8s.io/pause:3.10.2.
	Images map[string]*runtimeapi.Image `json:"images"`

	// file is the path of the state file.
	file string
}

type sandbox struct {
	Status *runtimeapi.PodSandboxStatus `json:"status"`
	// HostProcess is whether the containers can be processes of the machine.
	HostProcess  bool   `json:"hostProcess"`
	LogDirectory string `json:"logDirectory"`
	// Spec is what the API server said of the pod.
	Spec podSpec `json:"spec"`
	// Namespace is the id of the pod's namespace in HNS; empty if it has no network of its own.
	Namespace string `json:"namespace"`
	// The rest is what CNI's plugins and the pod's programs are told.
	Hostname string                    `json:"hostname"`
	DNS      dnsConfig                 `json:"dns"`
	Ports    []*runtimeapi.PortMapping `json:"ports"`
}

type container struct {
	SandboxID string `json:"sandboxID"`
	// Status does not contain the environment, which may have secrets that must not be written to the disk.
	Status *runtimeapi.ContainerStatus `json:"status"`
	// Process is whether the container is a real process instead of modelled.
	Process bool `json:"process"`
	// HostPaths is whether its root has links to the machine's folders. The status does not tell: kubelet names images by id.
	HostPaths bool `json:"hostPaths"`
}

// loadState reads the state. After a reboot of the machine no containers are running, and after a restart of this program
// no processes.
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

// save writes the state atomically.
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
