// Rehearsal-cri stands between kubelet.exe and containerd.exe in the rehearsal guest.
//
// containerd.exe is real, but it can't run containers without Windows' own part of them. What needs that part, pod
// sandboxes, containers and images, is modelled here; everything else is answered by containerd itself.
//
// One kind of containers needs nothing but a process: those of HostProcess pods. They really run, where the image is one
// whose programs lie on the disk (programs.go).
package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

// rehearsed is what every modelled container writes to its log, and what refusals begin with.
const rehearsed = "rehearsed: this container was not started, only modelled"

// server answers kubelet's calls.
type server struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	runtimeapi.UnimplementedImageServiceServer

	// containerd is the real runtime.
	containerd       runtimeapi.RuntimeServiceClient
	containerdImages runtimeapi.ImageServiceClient

	processes *hostProcesses
	// streams is where kubectl exec's streams are served; nil until serveStreams.
	streams streaming.Server

	mu    sync.Mutex
	state *state
	// save writes the state to disk.
	save func(*state) error
	// now is the clock; tests give their own.
	now func() time.Time
}

// change makes a change of the state and writes it; the change must not fail half way.
func (s *server) change(make func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := make(s.state); err != nil {
		return err
	}
	if err := s.save(s.state); err != nil {
		return fmt.Errorf("the modelled containers can't be written to disk: %w", err)
	}
	return nil
}

// read looks at the state.
func (s *server) read(look func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return look(s.state)
}

// Version is containerd's.
func (s *server) Version(ctx context.Context, in *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return s.containerd.Version(ctx, in)
}

// RuntimeConfig is containerd's.
func (s *server) RuntimeConfig(ctx context.Context, in *runtimeapi.RuntimeConfigRequest) (*runtimeapi.RuntimeConfigResponse, error) {
	return s.containerd.RuntimeConfig(ctx, in)
}

// ImageFsInfo is containerd's.
func (s *server) ImageFsInfo(ctx context.Context, in *runtimeapi.ImageFsInfoRequest) (*runtimeapi.ImageFsInfoResponse, error) {
	return s.containerdImages.ImageFsInfo(ctx, in)
}

// GetContainerEvents is containerd's; it never has any.
func (s *server) GetContainerEvents(in *runtimeapi.GetEventsRequest, out runtimeapi.RuntimeService_GetContainerEventsServer) error {
	events, err := s.containerd.GetContainerEvents(out.Context(), in)
	if err != nil {
		return err
	}
	for {
		event, err := events.Recv()
		if err != nil {
			return err
		}
		if err := out.Send(event); err != nil {
			return err
		}
	}
}

// Status is containerd's, but for the pod network: that one is modelled, so it is ready.
func (s *server) Status(ctx context.Context, in *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	response, err := s.containerd.Status(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, condition := range response.GetStatus().GetConditions() {
		if condition.Type == runtimeapi.NetworkReady {
			condition.Status = true
			condition.Reason = "Rehearsed"
			condition.Message = "rehearsed: pods get addresses, but no network"
		}
	}
	return response, nil
}

// UpdateRuntimeConfig tells containerd, and here, the addresses that pods of this node get.
func (s *server) UpdateRuntimeConfig(ctx context.Context, in *runtimeapi.UpdateRuntimeConfigRequest) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	if cidr := in.GetRuntimeConfig().GetNetworkConfig().GetPodCidr(); cidr != "" {
		if err := s.change(func(st *state) error { return st.setPodCIDR(cidr) }); err != nil {
			return nil, err
		}
	}
	return s.containerd.UpdateRuntimeConfig(ctx, in)
}
