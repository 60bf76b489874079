package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log"
	"sort"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// newID is 64 hexadecimal digits, as containerd's.
func newID() string {
	bytes := make([]byte, 32)
	rand.Read(bytes) // never fails
	return hex.EncodeToString(bytes)
}

// CreateContainer makes a container of an image that was "pulled": a real one where its program is here, see programs.go.
func (s *server) CreateContainer(_ context.Context, in *runtimeapi.CreateContainerRequest) (*runtimeapi.CreateContainerResponse, error) {
	config := in.GetConfig()
	id := newID()
	err := s.change(func(st *state) error {
		sb := st.Sandboxes[in.GetPodSandboxId()]
		if sb == nil || !sb.Ready {
			return status.Errorf(codes.NotFound, "there is no running sandbox %s", in.GetPodSandboxId())
		}
		img := st.findImage(config.GetImage().GetImage())
		if img == nil {
			return status.Errorf(codes.NotFound, "the image %s has not been pulled", config.GetImage().GetImage())
		}
		process := hasProcess(sb.Config, img.Reference)
		if process {
			if err := s.processes.make(id, img.Reference, config); err != nil {
				return err
			}
		}
		st.Containers[id] = &container{
			ID: id, SandboxID: sb.ID, Config: kept(config), ImageID: img.ID,
			LogPath:   logPath(sb.Config.GetLogDirectory(), config.GetLogPath()),
			State:     runtimeapi.ContainerState_CONTAINER_CREATED,
			CreatedAt: s.now().UnixNano(),
			Process:   process,
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &runtimeapi.CreateContainerResponse{ContainerId: id}, nil
}

// kept is what later calls ask for; not the environment, which may hold secrets and would lie on the disk.
func kept(config *runtimeapi.ContainerConfig) *runtimeapi.ContainerConfig {
	return &runtimeapi.ContainerConfig{
		Metadata: config.GetMetadata(), Image: config.GetImage(), Mounts: config.GetMounts(),
		Labels: config.GetLabels(), Annotations: config.GetAnnotations(),
	}
}

// StartContainer starts a container's process, or lets a modelled one be running, whose log says so.
func (s *server) StartContainer(_ context.Context, in *runtimeapi.StartContainerRequest) (*runtimeapi.StartContainerResponse, error) {
	var failed error
	err := s.change(func(st *state) error {
		c, err := st.container(in.GetContainerId())
		if err != nil {
			return err
		}
		if c.State != runtimeapi.ContainerState_CONTAINER_CREATED {
			return status.Errorf(codes.FailedPrecondition, "the container %s has been started already", c.ID)
		}
		if c.Process {
			failed = s.processes.start(c.ID, c.LogPath, func(code int32) { s.ended(c.ID, code) })
		} else if err := writeLogLine(c.LogPath, s.now(), rehearsed); err != nil {
			return err
		}
		c.StartedAt = s.now().UnixNano()
		if failed != nil {
			c.exit(s.now(), startErrorCode, reasonNotStarted)
			c.Message = failed.Error()
			return nil
		}
		c.State = runtimeapi.ContainerState_CONTAINER_RUNNING
		return nil
	})
	if failed != nil {
		return nil, status.Errorf(codes.Unknown, "the container can't be started: %v", failed)
	}
	return &runtimeapi.StartContainerResponse{}, err
}

// ended notes the end of a container's process; it may be removed by now.
func (s *server) ended(id string, code int32) {
	reason := reasonStopped
	if code != 0 {
		reason = reasonFailed
	}
	err := s.change(func(st *state) error {
		if c := st.Containers[id]; c != nil {
			c.exit(s.now(), code, reason)
		}
		return nil
	})
	if err != nil {
		log.Printf("the end of the container %s: %v", id, err)
	}
}

// StopContainer ends a container within its time of grace, a modelled one at once; one that has ended, or is not there,
// is stopped already.
func (s *server) StopContainer(_ context.Context, in *runtimeapi.StopContainerRequest) (*runtimeapi.StopContainerResponse, error) {
	id := in.GetContainerId()
	if p := s.processes.get(id); p != nil {
		if err := p.stop(time.Duration(in.GetTimeout()) * time.Second); err != nil {
			return nil, err
		}
		return &runtimeapi.StopContainerResponse{}, nil
	}
	err := s.change(func(st *state) error {
		c := st.Containers[id]
		if c != nil && c.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
			c.exit(s.now(), 0, reasonStopped)
		}
		return nil
	})
	return &runtimeapi.StopContainerResponse{}, err
}

// RemoveContainer ends a container and forgets it; one that is not there is removed already.
func (s *server) RemoveContainer(_ context.Context, in *runtimeapi.RemoveContainerRequest) (*runtimeapi.RemoveContainerResponse, error) {
	err := s.removeContainer(in.GetContainerId())
	return &runtimeapi.RemoveContainerResponse{}, err
}

func (s *server) removeContainer(id string) error {
	var process bool
	err := s.read(func(st *state) error {
		c := st.Containers[id]
		process = c != nil && c.Process
		return nil
	})
	if process {
		err = s.processes.forget(id)
	}
	if err != nil {
		return err
	}
	return s.change(func(st *state) error {
		delete(st.Containers, id)
		return nil
	})
}

// ContainerStatus tells what is modelled.
func (s *server) ContainerStatus(_ context.Context, in *runtimeapi.ContainerStatusRequest) (*runtimeapi.ContainerStatusResponse, error) {
	response := &runtimeapi.ContainerStatusResponse{}
	err := s.read(func(st *state) error {
		c, err := st.container(in.GetContainerId())
		if err != nil {
			return err
		}
		response.Status = &runtimeapi.ContainerStatus{
			Id: c.ID, Metadata: c.Config.Metadata, State: c.State,
			CreatedAt: c.CreatedAt, StartedAt: c.StartedAt, FinishedAt: c.FinishedAt,
			ExitCode: c.ExitCode, Reason: c.Reason, Message: c.Message,
			Image: c.Config.Image, ImageRef: c.ImageID, ImageId: c.ImageID,
			Labels: c.Config.Labels, Annotations: c.Config.Annotations,
			Mounts: c.Config.Mounts, LogPath: c.LogPath,
		}
		return nil
	})
	return response, err
}

// ListContainers lists what is modelled, newest first.
func (s *server) ListContainers(_ context.Context, in *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	response := &runtimeapi.ListContainersResponse{}
	err := s.read(func(st *state) error {
		for _, c := range st.Containers {
			if c.matches(in.GetFilter()) {
				response.Containers = append(response.Containers, &runtimeapi.Container{
					Id: c.ID, PodSandboxId: c.SandboxID, Metadata: c.Config.Metadata,
					Image: c.Config.Image, ImageRef: c.ImageID, ImageId: c.ImageID,
					State: c.State, CreatedAt: c.CreatedAt,
					Labels: c.Config.Labels, Annotations: c.Config.Annotations,
				})
			}
		}
		return nil
	})
	sort.Slice(response.Containers, func(i, j int) bool {
		return response.Containers[i].CreatedAt > response.Containers[j].CreatedAt
	})
	return response, err
}

// UpdateContainerResources has nothing to do: no process has these resources.
func (s *server) UpdateContainerResources(context.Context, *runtimeapi.UpdateContainerResourcesRequest) (*runtimeapi.UpdateContainerResourcesResponse, error) {
	return &runtimeapi.UpdateContainerResourcesResponse{}, nil
}

// ReopenContainerLog makes the log anew after kubelet has moved the old one away. Nobody has it open.
func (s *server) ReopenContainerLog(_ context.Context, in *runtimeapi.ReopenContainerLogRequest) (*runtimeapi.ReopenContainerLogResponse, error) {
	err := s.read(func(st *state) error {
		c, err := st.container(in.GetContainerId())
		if err != nil {
			return err
		}
		if c.Process {
			return appendToLog(c.LogPath, nil)
		}
		return writeLogLine(c.LogPath, s.now(), rehearsed)
	})
	return &runtimeapi.ReopenContainerLogResponse{}, err
}

func (st *state) container(id string) (*container, error) {
	if c := st.Containers[id]; c != nil {
		return c, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no container %s", id)
}

func (c *container) matches(filter *runtimeapi.ContainerFilter) bool {
	// kubelet gives whole ids, crictl their beginning.
	return strings.HasPrefix(c.ID, filter.GetId()) &&
		(filter.GetPodSandboxId() == "" || filter.GetPodSandboxId() == c.SandboxID) &&
		(filter.GetState() == nil || filter.GetState().State == c.State) &&
		hasLabels(c.Config.Labels, filter.GetLabelSelector())
}
