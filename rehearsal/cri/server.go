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
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

// rehearsed is what every modelled container writes to its log, and what refusals begin with.
const rehearsed = "rehearsed: this container was not started, only modelled"

type server struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	runtimeapi.UnimplementedImageServiceServer

	containerd       runtimeapi.RuntimeServiceClient
	containerdImages runtimeapi.ImageServiceClient

	// images is a folder with a folder of programs for each image that has them.
	images string
	// roots is a folder for the files of each container that really runs.
	roots   string
	volumes string
	// streams is where kubectl exec's streams are served, by serveStreams.
	streams streaming.Server
	// now is the clock; tests give their own.
	now func() time.Time

	mu    sync.Mutex
	state *state
	// processes are those of the containers that really run, of this run of the program, by the container's id.
	processes map[string]*hostProcess
}

func (s *server) Version(ctx context.Context, in *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return s.containerd.Version(ctx, in)
}

func (s *server) RuntimeConfig(ctx context.Context, in *runtimeapi.RuntimeConfigRequest) (*runtimeapi.RuntimeConfigResponse, error) {
	return s.containerd.RuntimeConfig(ctx, in)
}

func (s *server) ImageFsInfo(ctx context.Context, in *runtimeapi.ImageFsInfoRequest) (*runtimeapi.ImageFsInfoResponse, error) {
	return s.containerdImages.ImageFsInfo(ctx, in)
}

// Status is containerd's, but for the pod network: that one is modelled, so it is ready.
func (s *server) Status(ctx context.Context, in *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	response, err := s.containerd.Status(ctx, in)
	for _, condition := range response.GetStatus().GetConditions() {
		if condition.Type == runtimeapi.NetworkReady {
			condition.Status = true
			condition.Reason = "Rehearsed"
			condition.Message = "rehearsed: pods get addresses, but no network"
		}
	}
	return response, err
}

// UpdateRuntimeConfig tells containerd, and here, the addresses that pods of this node get.
func (s *server) UpdateRuntimeConfig(ctx context.Context, in *runtimeapi.UpdateRuntimeConfigRequest) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	if cidr := in.GetRuntimeConfig().GetNetworkConfig().GetPodCidr(); cidr != "" {
		if err := s.setPodCIDR(cidr); err != nil {
			return nil, err
		}
	}
	return s.containerd.UpdateRuntimeConfig(ctx, in)
}

// refuse answers what is not done here for any container.
func refuse(what string) error {
	return status.Errorf(codes.Unimplemented, "rehearsed: %s needs a real Windows node", what)
}

func (s *server) Attach(context.Context, *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	return nil, refuse("kubectl attach")
}

func (s *server) PortForward(context.Context, *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	return nil, refuse("kubectl port-forward")
}

func (s *server) CheckpointContainer(context.Context, *runtimeapi.CheckpointContainerRequest) (*runtimeapi.CheckpointContainerResponse, error) {
	return nil, refuse("a checkpoint")
}
