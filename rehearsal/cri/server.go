// Rehearsal-cri is a CRI server between kubelet.exe and containerd.exe in the rehearsal guest.
//
// containerd.exe is real, but it can't run containers, because that needs Windows. Pod sandboxes, containers and images are
// therefore modelled here. All other calls are forwarded to containerd.
//
// Containers of HostProcess pods are only processes, so they really run if the image's programs are on the disk
// (programs.go). So do those of pods with a network by CNI, in which such programs have their sockets.
package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

// rehearsed is the beginning of the log of every modelled container, and of its refusals.
const rehearsed = "rehearsed: this container was not started, only modelled"

type server struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	runtimeapi.UnimplementedImageServiceServer

	containerd       runtimeapi.RuntimeServiceClient
	containerdImages runtimeapi.ImageServiceClient

	// images is the folder that has a folder of programs for each image that really runs.
	images string
	// roots is the folder that has a folder of files for each container that really runs.
	roots   string
	volumes string
	// drive is where volumes are at their own paths (linkAtOwnPaths).
	drive string
	// networks are HNS' namespaces.
	networks hostNetworks
	// cniResults is the folder in which the results of CNI's plugins are kept.
	cniResults string
	// stopping keeps a pod's network from being taken away twice at a time.
	stopping sync.Mutex
	// podSpec asks the API server for a pod.
	podSpec func(ctx context.Context, namespace, name string) (*podSpec, error)
	// streams serves kubectl exec's streams; see serveStreams.
	streams streaming.Server
	// patience is how many times as long as kubelet says its probes may take.
	patience int64
	// now is the clock, which tests replace.
	now func() time.Time

	mu    sync.Mutex
	state *state
	// processes are the containers that this run of the program has started, by container id.
	processes map[string]*hostProcess
	// answers are servers for the probes of modelled containers, by container id.
	answers map[string]*http.Server
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

// Status returns containerd's status, except that the pod network is ready, also if the node has none and it is modelled.
func (s *server) Status(ctx context.Context, in *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	response, err := s.containerd.Status(ctx, in)
	for _, condition := range response.GetStatus().GetConditions() {
		if condition.Type == runtimeapi.NetworkReady {
			if condition.Status {
				continue
			}
			condition.Status = true
			condition.Reason = "Rehearsed"
			condition.Message = "rehearsed: pods get addresses, but no network"
		}
	}
	return response, err
}

// UpdateRuntimeConfig stores the node's pod range and forwards it to containerd.
func (s *server) UpdateRuntimeConfig(ctx context.Context, in *runtimeapi.UpdateRuntimeConfigRequest) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	if cidr := in.GetRuntimeConfig().GetNetworkConfig().GetPodCidr(); cidr != "" {
		if err := s.setPodCIDR(cidr); err != nil {
			return nil, err
		}
	}
	return s.containerd.UpdateRuntimeConfig(ctx, in)
}

// refuse returns the error for what is not modelled for any container.
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
