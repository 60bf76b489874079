package main

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// firstPodOffset is the offset of the first pod's address in the node's range: Windows reserves those before it.
const firstPodOffset = 3

// setPodCIDR sets the node's pod range to the first of kubelet's comma-separated ranges.
func (s *server) setPodCIDR(cidrs string) error {
	cidr, _, _ := strings.Cut(cidrs, ",")
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return fmt.Errorf("the node's pod range: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.PodCIDR = prefix
	return s.state.save()
}

// freeIP returns the lowest address of the node's range that no ready sandbox has.
func (st *state) freeIP() (string, error) {
	if !st.PodCIDR.IsValid() {
		return "", fmt.Errorf("the node has no pod range yet")
	}
	taken := map[string]bool{}
	for _, sb := range st.Sandboxes {
		taken[sb.Status.Network.Ip] = taken[sb.Status.Network.Ip] || sb.isReady()
	}
	address := st.PodCIDR.Masked().Addr()
	for range firstPodOffset {
		address = address.Next()
	}
	// The last address is the range's broadcast address.
	for ; st.PodCIDR.Contains(address.Next()); address = address.Next() {
		if !taken[address.String()] {
			return address.String(), nil
		}
	}
	return "", fmt.Errorf("the node's pod range %s has no free address", st.PodCIDR)
}

// RunPodSandbox models a sandbox. Unless it is for a HostProcess pod or uses the host's network, it gets a network by CNI, or,
// on a node without CNI configuration, an address of the node's pod range and nothing else.
func (s *server) RunPodSandbox(ctx context.Context, in *runtimeapi.RunPodSandboxRequest) (*runtimeapi.RunPodSandboxResponse, error) {
	config := in.GetConfig()
	if config.GetMetadata() == nil {
		return nil, status.Error(codes.InvalidArgument, "a sandbox without metadata")
	}
	spec, err := s.podSpec(ctx, config.Metadata.Namespace, config.Metadata.Name)
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "rehearsed: which init containers the pod %s has: %v", config.Metadata.Name, err)
	}
	security := config.GetWindows().GetSecurityContext()
	dns := config.GetDnsConfig()
	id := newID()
	sb := &sandbox{
		HostProcess: security.GetHostProcess(), LogDirectory: config.LogDirectory, Spec: *spec,
		Hostname: config.GetHostname(), Ports: config.GetPortMappings(),
		DNS: dnsConfig{Servers: dns.GetServers(), Searches: dns.GetSearches(), Options: dns.GetOptions()},
		Status: &runtimeapi.PodSandboxStatus{
			Id: id, Metadata: config.Metadata, CreatedAt: s.now().UnixNano(), State: runtimeapi.PodSandboxState_SANDBOX_READY,
			Network: &runtimeapi.PodSandboxNetworkStatus{},
			// kubelet compares this on Windows too. Without it, kubelet would keep replacing the sandboxes of HostProcess pods.
			Linux: &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{
				Options: config.GetLinux().GetSecurityContext().GetNamespaceOptions(),
			}},
			Labels: config.Labels, Annotations: config.Annotations, RuntimeHandler: in.GetRuntimeHandler(),
		},
	}
	ownNetwork := !security.GetHostProcess() && security.GetNamespaceOptions().GetNetwork() != runtimeapi.NamespaceMode_NODE
	if ownNetwork {
		if err := s.connect(ctx, id, sb); err != nil {
			return nil, status.Errorf(codes.Unknown, "the network of the pod %s: %v", config.Metadata.Name, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ownNetwork && sb.Namespace == "" {
		if sb.Status.Network.Ip, err = s.state.freeIP(); err != nil {
			return nil, status.Error(codes.FailedPrecondition, err.Error())
		}
	}
	s.state.Sandboxes[id] = sb
	return &runtimeapi.RunPodSandboxResponse{PodSandboxId: id}, s.state.save()
}

// StopPodSandbox stops a sandbox's containers and takes its network away. It does nothing if the sandbox does not exist.
func (s *server) StopPodSandbox(ctx context.Context, in *runtimeapi.StopPodSandboxRequest) (*runtimeapi.StopPodSandboxResponse, error) {
	for _, id := range s.containersOf(in.GetPodSandboxId()) {
		if err := s.stop(id, 0); err != nil {
			return nil, err
		}
	}
	if err := s.stopSandbox(ctx, in.GetPodSandboxId()); err != nil {
		return nil, err
	}
	return &runtimeapi.StopPodSandboxResponse{}, nil
}

// stopSandbox takes the sandbox's network away without holding the lock, because the plugins take seconds.
func (s *server) stopSandbox(ctx context.Context, id string) error {
	s.mu.Lock()
	sb := s.state.Sandboxes[id]
	s.mu.Unlock()
	if sb == nil {
		return nil
	}
	s.stopping.Lock()
	defer s.stopping.Unlock()
	if err := s.disconnect(ctx, id, sb); err != nil {
		return status.Errorf(codes.Unknown, "the network of the pod %s: %v", sb.Status.Metadata.GetName(), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sb.Namespace = ""
	sb.Status.State = runtimeapi.PodSandboxState_SANDBOX_NOTREADY
	return s.state.save()
}

// RemovePodSandbox removes a sandbox, its network and its containers. It does nothing if the sandbox does not exist.
func (s *server) RemovePodSandbox(ctx context.Context, in *runtimeapi.RemovePodSandboxRequest) (*runtimeapi.RemovePodSandboxResponse, error) {
	for _, id := range s.containersOf(in.GetPodSandboxId()) {
		if err := s.remove(id); err != nil {
			return nil, err
		}
	}
	if err := s.stopSandbox(ctx, in.GetPodSandboxId()); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.state.Sandboxes, in.GetPodSandboxId())
	return &runtimeapi.RemovePodSandboxResponse{}, s.state.save()
}

func (s *server) containersOf(sandboxID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for id, c := range s.state.Containers {
		if c.SandboxID == sandboxID {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *server) PodSandboxStatus(_ context.Context, in *runtimeapi.PodSandboxStatusRequest) (*runtimeapi.PodSandboxStatusResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sb := s.state.Sandboxes[in.GetPodSandboxId()]
	if sb == nil {
		return nil, status.Errorf(codes.NotFound, "there is no sandbox %s", in.GetPodSandboxId())
	}
	return &runtimeapi.PodSandboxStatusResponse{Status: proto.CloneOf(sb.Status)}, nil
}

func (s *server) ListPodSandbox(_ context.Context, in *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	response := &runtimeapi.ListPodSandboxResponse{}
	for _, sb := range s.state.Sandboxes {
		if sb.matches(in.GetFilter()) {
			response.Items = append(response.Items, &runtimeapi.PodSandbox{
				Id: sb.Status.Id, Metadata: sb.Status.Metadata, State: sb.Status.State, CreatedAt: sb.Status.CreatedAt,
				Labels: sb.Status.Labels, Annotations: sb.Status.Annotations, RuntimeHandler: sb.Status.RuntimeHandler,
			})
		}
	}
	slices.SortFunc(response.Items, func(a, b *runtimeapi.PodSandbox) int { return int(b.CreatedAt - a.CreatedAt) })
	return response, nil
}

func (sb *sandbox) isReady() bool {
	return sb.Status.State == runtimeapi.PodSandboxState_SANDBOX_READY
}

func (sb *sandbox) matches(filter *runtimeapi.PodSandboxFilter) bool {
	return (filter.GetId() == "" || filter.GetId() == sb.Status.Id) &&
		(filter.GetState() == nil || filter.GetState().State == sb.Status.State) &&
		hasLabels(sb.Status.Labels, filter.GetLabelSelector())
}

func hasLabels(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}
