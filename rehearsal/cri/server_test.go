package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type fakeContainerd struct {
	runtimeapi.RuntimeServiceClient
	podCIDR string
	// config is its own configuration, as it tells it.
	config string
}

func (f *fakeContainerd) Status(context.Context, *runtimeapi.StatusRequest, ...grpc.CallOption) (*runtimeapi.StatusResponse, error) {
	return &runtimeapi.StatusResponse{Info: map[string]string{"config": f.config}, Status: &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
		{Type: runtimeapi.RuntimeReady, Status: true},
		{Type: runtimeapi.NetworkReady, Status: false, Reason: "NetworkPluginNotReady"},
	}}}, nil
}

// fakeImages are the images that containerd itself has.
type fakeImages struct {
	runtimeapi.ImageServiceClient
	imported []*runtimeapi.Image
}

func (f *fakeImages) ImageStatus(_ context.Context, in *runtimeapi.ImageStatusRequest, _ ...grpc.CallOption) (*runtimeapi.ImageStatusResponse, error) {
	for _, img := range f.imported {
		if name := in.GetImage().GetImage(); img.Id == name || slices.Contains(img.RepoTags, name) {
			return &runtimeapi.ImageStatusResponse{Image: img}, nil
		}
	}
	return &runtimeapi.ImageStatusResponse{}, nil
}

func (f *fakeContainerd) UpdateRuntimeConfig(_ context.Context, in *runtimeapi.UpdateRuntimeConfigRequest, _ ...grpc.CallOption) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	f.podCIDR = in.GetRuntimeConfig().GetNetworkConfig().GetPodCidr()
	return &runtimeapi.UpdateRuntimeConfigResponse{}, nil
}

var background = context.Background()

// testServer has methods for the server's calls, which must succeed.
type testServer struct {
	*server
	t *testing.T
}

func newServer(t *testing.T) *testServer {
	st, err := loadState(filepath.Join(t.TempDir(), "cri.json"), "boot-1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var clock sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	return &testServer{t: t, server: &server{
		images: t.TempDir(), roots: t.TempDir(), volumes: t.TempDir(), drive: t.TempDir(), processes: map[string]*hostProcess{}, answers: map[string]*http.Server{}, patience: 1,
		podSpec:    func(context.Context, string, string) (*podSpec, error) { return &podSpec{}, nil },
		containerd: &fakeContainerd{config: "{}"}, containerdImages: &fakeImages{},
		state: st,
		now: func() time.Time {
			clock.Lock()
			defer clock.Unlock()
			now = now.Add(time.Second)
			return now
		},
	}}
}

func do[In, Out any](s *testServer, call func(context.Context, *In) (*Out, error), in *In) *Out {
	s.t.Helper()
	out, err := call(background, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *testServer) setRange(cidr string) {
	s.t.Helper()
	do(s, s.UpdateRuntimeConfig, &runtimeapi.UpdateRuntimeConfigRequest{
		RuntimeConfig: &runtimeapi.RuntimeConfig{NetworkConfig: &runtimeapi.NetworkConfig{PodCidr: cidr}},
	})
}

func podConfig(name string, hostNetwork bool, logs string) *runtimeapi.PodSandboxConfig {
	mode := runtimeapi.NamespaceMode_POD
	if hostNetwork {
		mode = runtimeapi.NamespaceMode_NODE
	}
	return &runtimeapi.PodSandboxConfig{
		Metadata:     &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "default", Uid: name},
		LogDirectory: logs,
		Labels:       map[string]string{"io.kubernetes.pod.name": name},
		Linux: &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimeapi.NamespaceOption{Network: mode},
		}},
		Windows: &runtimeapi.WindowsPodSandboxConfig{SecurityContext: &runtimeapi.WindowsSandboxSecurityContext{
			HostProcess: hostNetwork,
		}},
	}
}

func (s *testServer) pod(name string, hostNetwork bool, logs string) *runtimeapi.PodSandboxStatus {
	s.t.Helper()
	run := do(s, s.RunPodSandbox, &runtimeapi.RunPodSandboxRequest{Config: podConfig(name, hostNetwork, logs)})
	return do(s, s.PodSandboxStatus, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: run.PodSandboxId}).Status
}

func (s *testServer) stopPod(id string) {
	s.t.Helper()
	do(s, s.StopPodSandbox, &runtimeapi.StopPodSandboxRequest{PodSandboxId: id})
}

func (s *testServer) removePod(id string) {
	s.t.Helper()
	do(s, s.RemovePodSandbox, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: id})
}

// create pulls an image and creates a container of it, whose log is app/0.log in the pod's folder.
func (s *testServer) create(podID, image string, config *runtimeapi.ContainerConfig) string {
	s.t.Helper()
	do(s, s.PullImage, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: image}})
	if config.Metadata == nil {
		config.Metadata = &runtimeapi.ContainerMetadata{Name: "app"}
	}
	config.Image = &runtimeapi.ImageSpec{Image: image}
	config.LogPath = "app/0.log"
	request := &runtimeapi.CreateContainerRequest{PodSandboxId: podID, Config: config}
	return do(s, s.CreateContainer, request).ContainerId
}

func (s *testServer) start(id string) {
	s.t.Helper()
	do(s, s.StartContainer, &runtimeapi.StartContainerRequest{ContainerId: id})
}

func (s *testServer) stopContainer(id string, timeout int64) {
	s.t.Helper()
	do(s, s.StopContainer, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: timeout})
}

func (s *testServer) removeContainer(id string) {
	s.t.Helper()
	do(s, s.RemoveContainer, &runtimeapi.RemoveContainerRequest{ContainerId: id})
}

// modelled returns a started container that is only modelled.
func (s *testServer) modelled(podID string) string {
	s.t.Helper()
	id := s.create(podID, "example/app:1", &runtimeapi.ContainerConfig{
		Envs: []*runtimeapi.KeyValue{{Key: "PASSWORD", Value: []byte("hunter2")}},
	})
	s.start(id)
	return id
}

func (s *testServer) status(id string) *runtimeapi.ContainerStatus {
	s.t.Helper()
	return do(s, s.ContainerStatus, &runtimeapi.ContainerStatusRequest{ContainerId: id}).Status
}

func TestPodRunsWithAddressAndLog(t *testing.T) {
	srv := newServer(t)
	srv.setRange("10.244.3.0/24")
	logs := t.TempDir()
	pod := srv.pod("web", false, logs)
	if pod.Network.Ip != "10.244.3.3" || pod.State != runtimeapi.PodSandboxState_SANDBOX_READY {
		t.Errorf("pod is %v with address %q", pod.State, pod.Network.Ip)
	}
	if got := srv.status(srv.modelled(pod.Id)); got.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
		t.Errorf("container is %v", got.State)
	}
	log, err := os.ReadFile(filepath.Join(logs, "app/0.log"))
	if err != nil || !strings.HasSuffix(string(log), " stdout F "+rehearsed+": example/app:1 []\n") {
		t.Errorf("log is %q, %v", log, err)
	}
}

func TestOnlyModelledInitContainersEndAtOnce(t *testing.T) {
	for name, each := range map[string]struct {
		spec string
		ends bool
		log  string
	}{
		"init container": {
			`{"initContainers": [{"name": "app", "command": ["install", "$(TOKEN)"], "args": ["-v"]}]}`, true,
			`example/app:1 ["install" "$(TOKEN)" "-v"]; as an init container it ends with exit code 0`,
		},
		"sidecar": {`{"initContainers": [{"name": "app", "restartPolicy": "Always"}]}`, false, `example/app:1 []`},
		"container after another one": {
			`{"initContainers": [{"name": "first"}], "containers": [{"name": "app", "args": ["serve"]}]}`, false,
			`example/app:1 ["serve"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := newServer(t)
			srv.podSpec = func(_ context.Context, namespace, name string) (*podSpec, error) {
				if namespace != "default" || name != "web" {
					t.Errorf("asked for %s/%s", namespace, name)
				}
				spec := &podSpec{}
				return spec, json.Unmarshal([]byte(each.spec), spec)
			}
			logs := t.TempDir()
			got := srv.status(srv.modelled(srv.pod("web", true, logs).Id))
			if ended := got.State == runtimeapi.ContainerState_CONTAINER_EXITED; ended != each.ends {
				t.Errorf("container is %v", got.State)
			}
			if each.ends && (got.ExitCode != 0 || got.Reason != reasonStopped || got.FinishedAt < got.StartedAt) {
				t.Errorf("it has ended as %v", got)
			}
			log, err := os.ReadFile(filepath.Join(logs, "app/0.log"))
			if err != nil || !strings.HasSuffix(string(log), " stdout F "+rehearsed+": "+each.log+"\n") {
				t.Errorf("log is %q, %v", log, err)
			}
		})
	}
}

func TestAPodThatTheAPIServerDoesNotTellIsRetried(t *testing.T) {
	srv := newServer(t)
	srv.podSpec = func(context.Context, string, string) (*podSpec, error) { return nil, errors.New("refused") }
	_, err := srv.RunPodSandbox(background, &runtimeapi.RunPodSandboxRequest{Config: podConfig("web", true, "")})
	if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "refused") || len(srv.state.Sandboxes) != 0 {
		t.Errorf("%d sandboxes, %v", len(srv.state.Sandboxes), err)
	}
}

func TestProbesOfAModelledContainerPassWhileItRuns(t *testing.T) {
	srv := newServer(t)
	id := srv.modelled(srv.pod("proxy", true, "").Id)
	probe := &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"ready"}, Timeout: 1}
	if got := do(srv, srv.ExecSync, probe); got.ExitCode != 0 || string(got.Stdout) != rehearsed {
		t.Errorf("the probe gave %v", got)
	}
	srv.stopContainer(id, 0)
	if _, err := srv.ExecSync(background, probe); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("after its end: %v", err)
	}
}

func TestProbesOfTheMachinesPortsPassWhileAModelledContainerRuns(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := taken.Addr().(*net.TCPAddr).Port
	taken.Close()
	url := fmt.Sprintf("http://127.0.0.1:%d/healthz", port)
	for name, each := range map[string]struct {
		spec        string
		hostProcess bool
		answers     bool
	}{
		"http by number":            {`"readinessProbe": {"httpGet": {"path": "/healthz", "port": %d}}`, true, true},
		"tcp by name":               {`"ports": [{"name": "main", "containerPort": %d}], "livenessProbe": {"tcpSocket": {"port": "main"}}`, true, true},
		"a port that no probe asks": {`"ports": [{"containerPort": %d}]`, true, false},
		"a pod's own network":       {`"startupProbe": {"httpGet": {"port": %d}}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			srv := newServer(t)
			srv.setRange("10.244.3.0/24")
			srv.podSpec = func(context.Context, string, string) (*podSpec, error) {
				spec := &podSpec{}
				return spec, json.Unmarshal(fmt.Appendf(nil, `{"containers": [{"name": "app", `+each.spec+`}]}`, port), spec)
			}
			id := srv.modelled(srv.pod("proxy", each.hostProcess, "").Id)
			if response, err := http.Get(url); (err == nil && response.StatusCode == http.StatusOK) != each.answers {
				t.Errorf("while it runs: %v, %v", response, err)
			}
			srv.stopContainer(id, 0)
			if response, err := http.Get(url); err == nil {
				t.Errorf("after its end: %v", response.Status)
			}
		})
	}
}

func TestHostPodHasNoAddressOfItsOwnAndKeepsItsNamespaces(t *testing.T) {
	pod := newServer(t).pod("proxy", true, "")
	if pod.Network.Ip != "" {
		t.Errorf("address is %q", pod.Network.Ip)
	}
	if got := pod.Linux.Namespaces.Options.Network; got != runtimeapi.NamespaceMode_NODE {
		t.Errorf("network namespace is %v", got)
	}
}

func TestPodAddresses(t *testing.T) {
	srv := newServer(t)
	run := &runtimeapi.RunPodSandboxRequest{Config: podConfig("e", false, "")}
	if _, err := srv.RunPodSandbox(background, run); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("without a pod range: %v", err)
	}
	srv.setRange("10.244.3.0/29,fd00::/64")
	first := srv.pod("a", false, "")
	for _, name := range []string{"b", "c", "d"} {
		srv.pod(name, false, "")
	}
	if _, err := srv.RunPodSandbox(background, run); err == nil || !strings.Contains(err.Error(), "no free address") {
		t.Errorf("with the range used up: %v", err)
	}
	srv.stopPod(first.Id)
	if again := srv.pod("e", false, ""); again.Network.Ip != first.Network.Ip {
		t.Errorf("the address given back is %s, got %s", first.Network.Ip, again.Network.Ip)
	}
}

func TestStoppingAndRemovingTwiceIsFine(t *testing.T) {
	srv := newServer(t)
	pod := srv.pod("proxy", true, "")
	id := srv.modelled(pod.Id)
	for range 2 {
		srv.stopContainer(id, 0)
	}
	if got := srv.status(id); got.State != runtimeapi.ContainerState_CONTAINER_EXITED || got.FinishedAt < got.StartedAt {
		t.Errorf("container is %v, started %d, finished %d", got.State, got.StartedAt, got.FinishedAt)
	}
	for range 2 {
		srv.removeContainer(id)
		srv.stopPod(pod.Id)
		srv.removePod(pod.Id)
	}
	if _, err := srv.ContainerStatus(background, &runtimeapi.ContainerStatusRequest{ContainerId: id}); status.Code(err) != codes.NotFound {
		t.Errorf("status of what is gone: %v", err)
	}
}

func TestStateSurvivesARestartAndEndsWithTheBoot(t *testing.T) {
	srv := newServer(t)
	pod := srv.pod("proxy", true, "")
	id := srv.modelled(pod.Id)
	for _, each := range []struct {
		boot  string
		ready bool
		state runtimeapi.ContainerState
	}{
		{"boot-1", true, runtimeapi.ContainerState_CONTAINER_RUNNING},
		{"boot-2", false, runtimeapi.ContainerState_CONTAINER_EXITED},
	} {
		loaded, err := loadState(srv.state.file, each.boot, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if loaded.Sandboxes[pod.Id].isReady() != each.ready || loaded.Containers[id].Status.State != each.state {
			t.Errorf("in %s: %v, %v", each.boot, loaded.Sandboxes[pod.Id].Status, loaded.Containers[id].Status)
		}
	}
	text, err := os.ReadFile(srv.state.file)
	if err != nil || strings.Contains(string(text), "PASSWORD") {
		t.Errorf("the file holds a container's environment (%v)", err)
	}
}

func TestDamagedStateIsAnErrorThatNamesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cri.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadState(file, "boot-1", time.Now()); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
}

func TestContainerNeedsSandboxAndImage(t *testing.T) {
	srv := newServer(t)
	for name, pod := range map[string]string{"sandbox": "none", "image": srv.pod("proxy", true, "").Id} {
		_, err := srv.CreateContainer(background, &runtimeapi.CreateContainerRequest{
			PodSandboxId: pod, Config: &runtimeapi.ContainerConfig{Image: &runtimeapi.ImageSpec{Image: "example/app:1"}},
		})
		if status.Code(err) != codes.NotFound {
			t.Errorf("without the %s: %v", name, err)
		}
	}
}

func TestImages(t *testing.T) {
	srv := newServer(t)
	for reference, ok := range map[string]bool{
		"registry.k8s.io/pause:3.10.2": true, "example/app@sha256:0123": true, "": false, "two words": false,
	} {
		_, err := srv.PullImage(background, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: reference}})
		if (err == nil) != ok {
			t.Errorf("pull of %q: %v", reference, err)
		}
	}
	images := do(srv, srv.ListImages, &runtimeapi.ListImagesRequest{}).Images
	if len(images) != 2 {
		t.Fatalf("%d images", len(images))
	}
	for _, img := range images {
		spec := &runtimeapi.ImageSpec{Image: img.Id}
		if byID := do(srv, srv.ImageStatus, &runtimeapi.ImageStatusRequest{Image: spec}).Image; byID.GetId() != img.Id || byID.GetSize() == 0 {
			t.Errorf("image by id: %v", byID)
		}
		do(srv, srv.RemoveImage, &runtimeapi.RemoveImageRequest{Image: spec})
		if gone := do(srv, srv.ImageStatus, &runtimeapi.ImageStatusRequest{Image: spec}); gone.Image != nil {
			t.Errorf("an image that is not there: %v", gone)
		}
	}
}

func TestContainersRunFromImportedImages(t *testing.T) {
	srv := newServer(t)
	imported := &runtimeapi.Image{Id: "sha256:01", RepoTags: []string{"docker.io/library/app:1"}}
	srv.containerdImages = &fakeImages{imported: []*runtimeapi.Image{imported}}
	spec := &runtimeapi.ImageSpec{Image: imported.RepoTags[0]}
	found := do(srv, srv.ImageStatus, &runtimeapi.ImageStatusRequest{Image: spec}).Image
	if found.GetId() != imported.Id {
		t.Fatalf("imported image: %v", found)
	}
	sb := srv.pod("a", true, "")
	do(srv, srv.CreateContainer, &runtimeapi.CreateContainerRequest{
		PodSandboxId: sb.Id,
		Config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "app"}, Image: &runtimeapi.ImageSpec{Image: found.Id},
		},
	})
}

func TestListsAreFilteredByLabelStateAndSandbox(t *testing.T) {
	srv := newServer(t)
	first, second := srv.pod("a", true, ""), srv.pod("b", true, "")
	srv.modelled(first.Id)
	srv.stopPod(second.Id)
	ready := &runtimeapi.PodSandboxStateValue{State: runtimeapi.PodSandboxState_SANDBOX_READY}
	for name, each := range map[string]struct {
		filter *runtimeapi.PodSandboxFilter
		count  int
	}{
		"all":      {nil, 2},
		"by state": {&runtimeapi.PodSandboxFilter{State: ready}, 1},
		"by label": {&runtimeapi.PodSandboxFilter{LabelSelector: map[string]string{"io.kubernetes.pod.name": "b"}}, 1},
		"by id":    {&runtimeapi.PodSandboxFilter{Id: first.Id}, 1},
		"none":     {&runtimeapi.PodSandboxFilter{LabelSelector: map[string]string{"io.kubernetes.pod.name": "c"}}, 0},
	} {
		if got := do(srv, srv.ListPodSandbox, &runtimeapi.ListPodSandboxRequest{Filter: each.filter}); len(got.Items) != each.count {
			t.Errorf("%s: %d sandboxes", name, len(got.Items))
		}
	}
	for id, count := range map[string]int{first.Id: 1, second.Id: 0} {
		list := do(srv, srv.ListContainers, &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{PodSandboxId: id}})
		filter := &runtimeapi.ContainerStatsFilter{PodSandboxId: id}
		stats := do(srv, srv.ListContainerStats, &runtimeapi.ListContainerStatsRequest{Filter: filter})
		if len(list.Containers) != count || len(stats.Stats) != count {
			t.Errorf("%d containers, %d stats", len(list.Containers), len(stats.Stats))
		}
	}
}

func TestWhatNeedsAProcessIsRefusedPlainly(t *testing.T) {
	srv := newServer(t)
	id := srv.modelled(srv.pod("proxy", true, "").Id)
	elsewhere := "needs a real Windows node"
	for name, each := range map[string]struct {
		call func() error
		said string
	}{
		"exec":         {func() error { _, err := srv.Exec(background, &runtimeapi.ExecRequest{ContainerId: id}); return err }, rehearsed},
		"attach":       {func() error { _, err := srv.Attach(background, nil); return err }, elsewhere},
		"port-forward": {func() error { _, err := srv.PortForward(background, nil); return err }, elsewhere},
	} {
		if err := each.call(); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), each.said) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNetworkIsReadyAndThePodRangeReachesContainerd(t *testing.T) {
	srv := newServer(t)
	for _, condition := range do(srv, srv.Status, &runtimeapi.StatusRequest{}).Status.Conditions {
		if !condition.Status {
			t.Errorf("%s is not true", condition.Type)
		}
	}
	srv.setRange("10.244.3.0/24")
	if got := srv.containerd.(*fakeContainerd).podCIDR; got != "10.244.3.0/24" {
		t.Errorf("containerd was told %q", got)
	}
}
