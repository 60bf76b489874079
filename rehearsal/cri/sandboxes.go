package main

import (
	"context"
	"sort"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// onHostNetwork says whether a pod has the host's own addresses: HostProcess pods, and those that ask for it.
func onHostNetwork(config *runtimeapi.PodSandboxConfig) bool {
	security := config.GetWindows().GetSecurityContext()
	return security.GetHostProcess() ||
		security.GetNamespaceOptions().GetNetwork() == runtimeapi.NamespaceMode_NODE
}

// RunPodSandbox models a sandbox; unless it is on the host's network it gets an address of the node's pod range.
func (s *server) RunPodSandbox(_ context.Context, in *runtimeapi.RunPodSandboxRequest) (*runtimeapi.RunPodSandboxResponse, error) {
	config := in.GetConfig()
	if config.GetMetadata() == nil {
		return nil, status.Error(codes.InvalidArgument, "a sandbox without metadata")
	}
	id := newID()
	err := s.change(func(st *state) error {
		ip := ""
		if !onHostNetwork(config) {
			free, err := st.freeIP()
			if err != nil {
				return status.Error(codes.FailedPrecondition, err.Error())
			}
			ip = free
		}
		st.Sandboxes[id] = &sandbox{
			ID: id, Config: config, RuntimeHandler: in.GetRuntimeHandler(),
			CreatedAt: s.now().UnixNano(), Ready: true, IP: ip,
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &runtimeapi.RunPodSandboxResponse{PodSandboxId: id}, nil
}

// StopPodSandbox ends a sandbox's containers and gives its address back; one that is not there is stopped already.
func (s *server) StopPodSandbox(_ context.Context, in *runtimeapi.StopPodSandboxRequest) (*runtimeapi.StopPodSandboxResponse, error) {
	for _, id := range s.containerIDs(in.GetPodSandboxId()) {
		if p := s.processes.get(id); p != nil {
			if err := p.stop(0); err != nil {
				return nil, err
			}
		}
	}
	err := s.change(func(st *state) error {
		if sb := st.Sandboxes[in.GetPodSandboxId()]; sb != nil {
			sb.Ready = false
			for _, c := range st.containersOf(sb.ID) {
				if c.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
					c.exit(s.now(), 0, reasonStopped)
				}
			}
		}
		return nil
	})
	return &runtimeapi.StopPodSandboxResponse{}, err
}

// RemovePodSandbox forgets a sandbox and its containers; one that is not there is removed already.
func (s *server) RemovePodSandbox(_ context.Context, in *runtimeapi.RemovePodSandboxRequest) (*runtimeapi.RemovePodSandboxResponse, error) {
	for _, id := range s.containerIDs(in.GetPodSandboxId()) {
		if err := s.removeContainer(id); err != nil {
			return nil, err
		}
	}
	err := s.change(func(st *state) error {
		delete(st.Sandboxes, in.GetPodSandboxId())
		return nil
	})
	return &runtimeapi.RemovePodSandboxResponse{}, err
}

// containerIDs lists a sandbox's containers.
func (s *server) containerIDs(sandboxID string) []string {
	ids := []string{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.state.containersOf(sandboxID) {
		ids = append(ids, c.ID)
	}
	return ids
}

// PodSandboxStatus tells what is modelled.
func (s *server) PodSandboxStatus(_ context.Context, in *runtimeapi.PodSandboxStatusRequest) (*runtimeapi.PodSandboxStatusResponse, error) {
	response := &runtimeapi.PodSandboxStatusResponse{}
	err := s.read(func(st *state) error {
		sb := st.Sandboxes[in.GetPodSandboxId()]
		if sb == nil {
			return status.Errorf(codes.NotFound, "there is no sandbox %s", in.GetPodSandboxId())
		}
		response.Status = &runtimeapi.PodSandboxStatus{
			Id: sb.ID, Metadata: sb.Config.Metadata, State: sb.state(), CreatedAt: sb.CreatedAt,
			Network: &runtimeapi.PodSandboxNetworkStatus{Ip: sb.IP},
			// kubelet compares this on Windows too, and would replace the sandboxes of HostProcess pods again and again.
			Linux: &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{
				Options: sb.Config.GetLinux().GetSecurityContext().GetNamespaceOptions(),
			}},
			Labels: sb.Config.Labels, Annotations: sb.Config.Annotations, RuntimeHandler: sb.RuntimeHandler,
		}
		return nil
	})
	return response, err
}

// ListPodSandbox lists what is modelled, newest first.
func (s *server) ListPodSandbox(_ context.Context, in *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	response := &runtimeapi.ListPodSandboxResponse{}
	err := s.read(func(st *state) error {
		for _, sb := range st.Sandboxes {
			if sb.matches(in.GetFilter()) {
				response.Items = append(response.Items, &runtimeapi.PodSandbox{
					Id: sb.ID, Metadata: sb.Config.Metadata, State: sb.state(), CreatedAt: sb.CreatedAt,
					Labels: sb.Config.Labels, Annotations: sb.Config.Annotations, RuntimeHandler: sb.RuntimeHandler,
				})
			}
		}
		return nil
	})
	sort.Slice(response.Items, func(i, j int) bool {
		return response.Items[i].CreatedAt > response.Items[j].CreatedAt
	})
	return response, err
}

func (sb *sandbox) state() runtimeapi.PodSandboxState {
	if sb.Ready {
		return runtimeapi.PodSandboxState_SANDBOX_READY
	}
	return runtimeapi.PodSandboxState_SANDBOX_NOTREADY
}

func (sb *sandbox) matches(filter *runtimeapi.PodSandboxFilter) bool {
	return (filter.GetId() == "" || filter.GetId() == sb.ID) &&
		(filter.GetState() == nil || filter.GetState().State == sb.state()) &&
		hasLabels(sb.Config.Labels, filter.GetLabelSelector())
}

// containersOf lists a sandbox's containers.
func (st *state) containersOf(sandboxID string) []*container {
	found := []*container{}
	for _, c := range st.Containers {
		if c.SandboxID == sandboxID {
			found = append(found, c)
		}
	}
	return found
}

func hasLabels(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}
