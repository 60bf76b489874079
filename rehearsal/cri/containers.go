package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// newID returns 64 hexadecimal digits, like containerd's ids.
func newID() string {
	bytes := make([]byte, 32)
	rand.Read(bytes) // never fails
	return hex.EncodeToString(bytes)
}

// CreateContainer creates a container from an image that was "pulled" or imported. It is real if the image's program is here
// (programs.go) and runs in such a pod: a HostProcess pod, or one with a network. Otherwise it is only modelled.
func (s *server) CreateContainer(ctx context.Context, in *runtimeapi.CreateContainerRequest) (*runtimeapi.CreateContainerResponse, error) {
	config := in.GetConfig()
	img, err := s.findImage(ctx, config.GetImage().GetImage())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sb := s.state.Sandboxes[in.GetPodSandboxId()]
	if sb == nil || !sb.isReady() {
		return nil, status.Errorf(codes.NotFound, "there is no running sandbox %s", in.GetPodSandboxId())
	}
	if img == nil {
		return nil, status.Errorf(codes.NotFound, "the image %s has not been pulled", config.GetImage().GetImage())
	}
	id := newID()
	program := programOf(img.GetSpec().GetImage())
	isProcess := sb.canRun(program) && s.runs(program, config) && s.isOnDisk(img.GetSpec().GetImage())
	if isProcess {
		process, err := s.newProcess(filepath.Join(s.roots, id), img.GetSpec().GetImage(), program, sb, config)
		if err != nil {
			return nil, err
		}
		s.processes[id] = process
	}
	s.state.Containers[id] = &container{
		SandboxID: in.GetPodSandboxId(), Process: isProcess, HostPaths: isProcess && program.hostPaths,
		Status: &runtimeapi.ContainerStatus{
			Id: id, Metadata: config.GetMetadata(), CreatedAt: s.now().UnixNano(),
			State: runtimeapi.ContainerState_CONTAINER_CREATED,
			Image: config.GetImage(), ImageRef: img.Id, ImageId: img.Id,
			Labels: config.GetLabels(), Annotations: config.GetAnnotations(), Mounts: config.GetMounts(),
			LogPath: logPath(sb.LogDirectory, config.GetLogPath()),
		},
	}
	return &runtimeapi.CreateContainerResponse{ContainerId: id}, s.state.save()
}

// StartContainer starts a container's process. A modelled container only becomes running, and its log says so. If it is an
// init container, it has ended well.
func (s *server) StartContainer(_ context.Context, in *runtimeapi.StartContainerRequest) (*runtimeapi.StartContainerResponse, error) {
	id := in.GetContainerId()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.state.container(id)
	if err != nil {
		return nil, err
	}
	if c.Status.State != runtimeapi.ContainerState_CONTAINER_CREATED {
		return nil, status.Errorf(codes.FailedPrecondition, "the container %s has been started already", id)
	}
	var failed error
	if p := s.processes[id]; p != nil {
		failed = p.start(c.Status.LogPath, func(code int32) { s.ended(id, code) })
	} else if err := s.logRehearsed(c); err != nil {
		return nil, err
	}
	c.Status.StartedAt = s.now().UnixNano()
	c.Status.State = runtimeapi.ContainerState_CONTAINER_RUNNING
	if failed != nil {
		c.exit(s.now(), startErrorCode, reasonNotStarted)
		c.Status.Message = failed.Error()
	} else if s.endsAtOnce(c) {
		c.exit(s.now(), 0, reasonStopped)
	}
	s.answerProbes(id, c)
	if err := s.state.save(); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, status.Errorf(codes.Unknown, "the container can't be started: %v", failed)
	}
	return &runtimeapi.StartContainerResponse{}, nil
}

// ended records the end of a container's process. The container may already be removed.
func (s *server) ended(id string, code int32) {
	reason := reasonStopped
	if code != 0 {
		reason = reasonFailed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.state.Containers[id]; c != nil {
		c.exit(s.now(), code, reason)
	}
	if err := s.state.save(); err != nil {
		log.Printf("the end of the container %s: %v", id, err)
	}
}

// StopContainer stops a container within its grace period, a modelled one at once. It does nothing if the container has
// ended or does not exist.
func (s *server) StopContainer(_ context.Context, in *runtimeapi.StopContainerRequest) (*runtimeapi.StopContainerResponse, error) {
	return &runtimeapi.StopContainerResponse{}, s.stop(in.GetContainerId(), time.Duration(in.GetTimeout())*time.Second)
}

func (s *server) stop(id string, grace time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, p := s.state.Containers[id], s.processes[id]
	if c == nil || !c.isRunning() {
		return nil
	}
	if p != nil {
		// Unlock, because ended needs the lock to record the end.
		s.mu.Unlock()
		defer s.mu.Lock()
		return p.stop(grace)
	}
	s.endAnswers(id)
	c.exit(s.now(), 0, reasonStopped)
	return s.state.save()
}

// RemoveContainer stops and removes a container. It does nothing if the container does not exist.
func (s *server) RemoveContainer(_ context.Context, in *runtimeapi.RemoveContainerRequest) (*runtimeapi.RemoveContainerResponse, error) {
	return &runtimeapi.RemoveContainerResponse{}, s.remove(in.GetContainerId())
}

func (s *server) remove(id string) error {
	if err := s.stop(id, 0); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Containers[id] == nil {
		return nil
	}
	if p := s.processes[id]; p != nil {
		p.job.close()
		for _, path := range p.ownPaths {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
		delete(s.processes, id)
	}
	// Also for containers that an earlier run of this program has started.
	if err := removeRoot(filepath.Join(s.roots, id), s.state.Containers[id].HostPaths); err != nil {
		return err
	}
	delete(s.state.Containers, id)
	return s.state.save()
}

func (s *server) ContainerStatus(_ context.Context, in *runtimeapi.ContainerStatusRequest) (*runtimeapi.ContainerStatusResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.state.container(in.GetContainerId())
	if err != nil {
		return nil, err
	}
	return &runtimeapi.ContainerStatusResponse{Status: proto.CloneOf(c.Status)}, nil
}

func (s *server) ListContainers(_ context.Context, in *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	response := &runtimeapi.ListContainersResponse{}
	for id, c := range s.state.Containers {
		if c.matches(in.GetFilter()) {
			response.Containers = append(response.Containers, &runtimeapi.Container{
				Id: id, PodSandboxId: c.SandboxID, Metadata: c.Status.Metadata,
				Image: c.Status.Image, ImageRef: c.Status.ImageRef, ImageId: c.Status.ImageId,
				State: c.Status.State, CreatedAt: c.Status.CreatedAt,
				Labels: c.Status.Labels, Annotations: c.Status.Annotations,
			})
		}
	}
	slices.SortFunc(response.Containers, func(a, b *runtimeapi.Container) int { return int(b.CreatedAt - a.CreatedAt) })
	return response, nil
}

func (s *server) ContainerStats(_ context.Context, in *runtimeapi.ContainerStatsRequest) (*runtimeapi.ContainerStatsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.state.container(in.GetContainerId())
	if err != nil {
		return nil, err
	}
	return &runtimeapi.ContainerStatsResponse{Stats: c.stats(s.now())}, nil
}

func (s *server) ListContainerStats(_ context.Context, in *runtimeapi.ListContainerStatsRequest) (*runtimeapi.ListContainerStatsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	filter := &runtimeapi.ContainerFilter{
		Id: in.GetFilter().GetId(), PodSandboxId: in.GetFilter().GetPodSandboxId(),
		LabelSelector: in.GetFilter().GetLabelSelector(),
	}
	response := &runtimeapi.ListContainerStatsResponse{}
	for _, c := range s.state.Containers {
		if c.isRunning() && c.matches(filter) {
			response.Stats = append(response.Stats, c.stats(s.now()))
		}
	}
	return response, nil
}

var zero = &runtimeapi.UInt64Value{}

func (c *container) stats(now time.Time) *runtimeapi.ContainerStats {
	at := now.UnixNano()
	return &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{
			Id: c.Status.Id, Metadata: c.Status.Metadata, Labels: c.Status.Labels, Annotations: c.Status.Annotations,
		},
		Cpu:           &runtimeapi.CpuUsage{Timestamp: at, UsageCoreNanoSeconds: zero},
		Memory:        &runtimeapi.MemoryUsage{Timestamp: at, WorkingSetBytes: zero},
		WritableLayer: &runtimeapi.FilesystemUsage{Timestamp: at, UsedBytes: zero},
	}
}

// UpdateContainerResources does nothing, because resource limits are not applied.
func (s *server) UpdateContainerResources(context.Context, *runtimeapi.UpdateContainerResourcesRequest) (*runtimeapi.UpdateContainerResourcesResponse, error) {
	return &runtimeapi.UpdateContainerResourcesResponse{}, nil
}

// ReopenContainerLog creates a new log after kubelet has moved the old one away. The log is not kept open.
func (s *server) ReopenContainerLog(_ context.Context, in *runtimeapi.ReopenContainerLogRequest) (*runtimeapi.ReopenContainerLogResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.state.container(in.GetContainerId())
	if err != nil {
		return nil, err
	}
	if c.Process {
		err = appendToLog(c.Status.LogPath, nil)
	} else {
		err = s.logRehearsed(c)
	}
	return &runtimeapi.ReopenContainerLogResponse{}, err
}

func (s *server) spec(c *container) *podSpec {
	if sb := s.state.Sandboxes[c.SandboxID]; sb != nil {
		return &sb.Spec
	}
	return &podSpec{}
}

// endsAtOnce is whether a container is a modelled one that must end before the pod's next one starts.
func (s *server) endsAtOnce(c *container) bool {
	return !c.Process && s.spec(c).ends(c.Status.Metadata.GetName())
}

func (s *server) logRehearsed(c *container) error {
	text := fmt.Sprintf("%s: %s %q", rehearsed, c.Status.Image.GetImage(), s.spec(c).words(c.Status.Metadata.GetName()))
	if s.endsAtOnce(c) {
		text += "; as an init container it ends with exit code 0"
	}
	return appendToLog(c.Status.LogPath, logEntry(s.now(), "stdout", "F", []byte(text)))
}

func (c *container) matches(filter *runtimeapi.ContainerFilter) bool {
	// kubelet passes whole ids, crictl prefixes.
	return strings.HasPrefix(c.Status.Id, filter.GetId()) &&
		(filter.GetPodSandboxId() == "" || filter.GetPodSandboxId() == c.SandboxID) &&
		(filter.GetState() == nil || filter.GetState().State == c.Status.State) &&
		hasLabels(c.Status.Labels, filter.GetLabelSelector())
}
