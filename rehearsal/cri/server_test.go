package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// fakeContainerd answers what the server passes through.
type fakeContainerd struct {
	runtimeapi.RuntimeServiceClient
	podCIDR string
}

func (f *fakeContainerd) Status(context.Context, *runtimeapi.StatusRequest, ...grpc.CallOption) (*runtimeapi.StatusResponse, error) {
	return &runtimeapi.StatusResponse{Status: &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
		{Type: runtimeapi.RuntimeReady, Status: true},
		{Type: runtimeapi.NetworkReady, Status: false, Reason: "NetworkPluginNotReady"},
	}}}, nil
}

func (f *fakeContainerd) UpdateRuntimeConfig(_ context.Context, in *runtimeapi.UpdateRuntimeConfigRequest, _ ...grpc.CallOption) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	f.podCIDR = in.GetRuntimeConfig().GetNetworkConfig().GetPodCidr()
	return &runtimeapi.UpdateRuntimeConfigResponse{}, nil
}

var background = context.Background()

func testServer(t *testing.T) (*server, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cri.json")
	var clock sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	srv := &server{
		processes: &hostProcesses{
			images: t.TempDir(), roots: t.TempDir(), volumes: t.TempDir(), now: time.Now, all: map[string]*hostProcess{},
		},
		containerd: &fakeContainerd{},
		state:      newState("boot-1"),
		save:       func(st *state) error { return saveState(file, st) },
		now: func() time.Time {
			clock.Lock()
			defer clock.Unlock()
			now = now.Add(time.Second)
			return now
		},
	}
	return srv, file
}

func setPodCIDR(t *testing.T, srv *server, cidr string) {
	t.Helper()
	must(t)(srv.UpdateRuntimeConfig(background, &runtimeapi.UpdateRuntimeConfigRequest{
		RuntimeConfig: &runtimeapi.RuntimeConfig{NetworkConfig: &runtimeapi.NetworkConfig{PodCidr: cidr}},
	}))
}

func must(t *testing.T) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
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

func runPod(t *testing.T, srv *server, config *runtimeapi.PodSandboxConfig) *runtimeapi.PodSandboxStatus {
	t.Helper()
	run, err := srv.RunPodSandbox(background, &runtimeapi.RunPodSandboxRequest{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	response, err := srv.PodSandboxStatus(background, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: run.PodSandboxId})
	if err != nil {
		t.Fatal(err)
	}
	return response.Status
}

func runContainer(t *testing.T, srv *server, sandboxID string) string {
	t.Helper()
	must(t)(srv.PullImage(background, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: "example/app:1"}}))
	created, err := srv.CreateContainer(background, &runtimeapi.CreateContainerRequest{
		PodSandboxId: sandboxID,
		Config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "app"},
			Image:    &runtimeapi.ImageSpec{Image: "example/app:1"},
			LogPath:  "app/0.log",
			Envs:     []*runtimeapi.KeyValue{{Key: "PASSWORD", Value: []byte("hunter2")}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t)(srv.StartContainer(background, &runtimeapi.StartContainerRequest{ContainerId: created.ContainerId}))
	return created.ContainerId
}

func containerStatus(t *testing.T, srv *server, id string) *runtimeapi.ContainerStatus {
	t.Helper()
	response, err := srv.ContainerStatus(background, &runtimeapi.ContainerStatusRequest{ContainerId: id})
	if err != nil {
		t.Fatal(err)
	}
	return response.Status
}

func TestPodRunsWithAddressAndLog(t *testing.T) {
	srv, _ := testServer(t)
	setPodCIDR(t, srv, "10.244.3.0/24")
	logs := t.TempDir()
	pod := runPod(t, srv, podConfig("web", false, logs))
	if pod.Network.Ip != "10.244.3.3" || pod.State != runtimeapi.PodSandboxState_SANDBOX_READY {
		t.Errorf("pod is %v with address %q", pod.State, pod.Network.Ip)
	}
	id := runContainer(t, srv, pod.Id)
	if got := containerStatus(t, srv, id); got.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
		t.Errorf("container is %v", got.State)
	}
	log, err := os.ReadFile(filepath.Join(logs, "app/0.log"))
	if err != nil || !strings.HasSuffix(string(log), " stdout F "+rehearsed+"\n") {
		t.Errorf("log is %q, %v", log, err)
	}
}

func TestHostPodHasNoAddressOfItsOwnAndKeepsItsNamespaces(t *testing.T) {
	srv, _ := testServer(t)
	pod := runPod(t, srv, podConfig("proxy", true, t.TempDir()))
	if pod.Network.Ip != "" {
		t.Errorf("address is %q", pod.Network.Ip)
	}
	if got := pod.Linux.Namespaces.Options.Network; got != runtimeapi.NamespaceMode_NODE {
		t.Errorf("network namespace is %v", got)
	}
}

func TestPodAddresses(t *testing.T) {
	srv, _ := testServer(t)
	_, err := srv.RunPodSandbox(background, &runtimeapi.RunPodSandboxRequest{Config: podConfig("early", false, "")})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("without a pod range: %v", err)
	}
	setPodCIDR(t, srv, "10.244.3.0/29,fd00::/64")
	first := runPod(t, srv, podConfig("a", false, ""))
	for _, name := range []string{"b", "c", "d"} {
		runPod(t, srv, podConfig(name, false, ""))
	}
	_, err = srv.RunPodSandbox(background, &runtimeapi.RunPodSandboxRequest{Config: podConfig("e", false, "")})
	if err == nil || !strings.Contains(err.Error(), "no free address") {
		t.Errorf("with the range used up: %v", err)
	}
	must(t)(srv.StopPodSandbox(background, &runtimeapi.StopPodSandboxRequest{PodSandboxId: first.Id}))
	if again := runPod(t, srv, podConfig("e", false, "")); again.Network.Ip != first.Network.Ip {
		t.Errorf("the address given back is %s, got %s", first.Network.Ip, again.Network.Ip)
	}
}

func TestStoppingAndRemovingTwiceIsFine(t *testing.T) {
	srv, _ := testServer(t)
	pod := runPod(t, srv, podConfig("proxy", true, t.TempDir()))
	id := runContainer(t, srv, pod.Id)
	for range 2 {
		must(t)(srv.StopContainer(background, &runtimeapi.StopContainerRequest{ContainerId: id}))
	}
	if got := containerStatus(t, srv, id); got.State != runtimeapi.ContainerState_CONTAINER_EXITED || got.FinishedAt < got.StartedAt {
		t.Errorf("container is %v, started %d, finished %d", got.State, got.StartedAt, got.FinishedAt)
	}
	for range 2 {
		must(t)(srv.RemoveContainer(background, &runtimeapi.RemoveContainerRequest{ContainerId: id}))
		must(t)(srv.StopPodSandbox(background, &runtimeapi.StopPodSandboxRequest{PodSandboxId: pod.Id}))
		must(t)(srv.RemovePodSandbox(background, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod.Id}))
	}
	if _, err := srv.ContainerStatus(background, &runtimeapi.ContainerStatusRequest{ContainerId: id}); status.Code(err) != codes.NotFound {
		t.Errorf("status of what is gone: %v", err)
	}
}

func TestStateSurvivesARestartAndEndsWithTheBoot(t *testing.T) {
	srv, file := testServer(t)
	pod := runPod(t, srv, podConfig("proxy", true, t.TempDir()))
	id := runContainer(t, srv, pod.Id)
	for _, each := range []struct {
		boot  string
		ready bool
		state runtimeapi.ContainerState
	}{
		{"boot-1", true, runtimeapi.ContainerState_CONTAINER_RUNNING},
		{"boot-2", false, runtimeapi.ContainerState_CONTAINER_EXITED},
	} {
		loaded, err := loadState(file, each.boot, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if loaded.Sandboxes[pod.Id].Ready != each.ready || loaded.Containers[id].State != each.state {
			t.Errorf("in %s: ready %v, %v", each.boot, loaded.Sandboxes[pod.Id].Ready, loaded.Containers[id].State)
		}
	}
	text, err := os.ReadFile(file)
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
	srv, _ := testServer(t)
	create := &runtimeapi.CreateContainerRequest{
		PodSandboxId: "none", Config: &runtimeapi.ContainerConfig{Image: &runtimeapi.ImageSpec{Image: "example/app:1"}},
	}
	if _, err := srv.CreateContainer(background, create); status.Code(err) != codes.NotFound {
		t.Errorf("without a sandbox: %v", err)
	}
	create.PodSandboxId = runPod(t, srv, podConfig("proxy", true, "")).Id
	if _, err := srv.CreateContainer(background, create); status.Code(err) != codes.NotFound {
		t.Errorf("without an image: %v", err)
	}
}

func TestImages(t *testing.T) {
	srv, _ := testServer(t)
	for reference, ok := range map[string]bool{
		"registry.k8s.io/pause:3.10.2": true, "example/app@sha256:0123": true, "": false, "two words": false,
	} {
		_, err := srv.PullImage(background, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: reference}})
		if (err == nil) != ok {
			t.Errorf("pull of %q: %v", reference, err)
		}
	}
	list, err := srv.ListImages(background, &runtimeapi.ListImagesRequest{})
	if err != nil || len(list.Images) != 2 {
		t.Fatalf("%d images, %v", len(list.Images), err)
	}
	for _, img := range list.Images {
		byID, err := srv.ImageStatus(background, &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: img.Id}})
		if err != nil || byID.Image.GetId() != img.Id || byID.Image.GetSize() == 0 {
			t.Errorf("image by id: %v, %v", byID, err)
		}
		must(t)(srv.RemoveImage(background, &runtimeapi.RemoveImageRequest{Image: &runtimeapi.ImageSpec{Image: img.Id}}))
	}
	gone, err := srv.ImageStatus(background, &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: "example/app:1"}})
	if err != nil || gone.Image != nil {
		t.Errorf("an image that is not there: %v, %v", gone, err)
	}
}

func TestListsAreFilteredByLabelStateAndSandbox(t *testing.T) {
	srv, _ := testServer(t)
	first := runPod(t, srv, podConfig("a", true, ""))
	second := runPod(t, srv, podConfig("b", true, ""))
	runContainer(t, srv, first.Id)
	must(t)(srv.StopPodSandbox(background, &runtimeapi.StopPodSandboxRequest{PodSandboxId: second.Id}))
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
		list, err := srv.ListPodSandbox(background, &runtimeapi.ListPodSandboxRequest{Filter: each.filter})
		if err != nil || len(list.Items) != each.count {
			t.Errorf("%s: %d sandboxes, %v", name, len(list.Items), err)
		}
	}
	for id, count := range map[string]int{first.Id: 1, second.Id: 0} {
		list, err := srv.ListContainers(background, &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{PodSandboxId: id}})
		if err != nil || len(list.Containers) != count {
			t.Errorf("%d containers, %v", len(list.Containers), err)
		}
		stats, err := srv.ListContainerStats(background, &runtimeapi.ListContainerStatsRequest{Filter: &runtimeapi.ContainerStatsFilter{PodSandboxId: id}})
		if err != nil || len(stats.Stats) != count {
			t.Errorf("%d containers' stats, %v", len(stats.Stats), err)
		}
	}
}

func TestWhatNeedsAProcessIsRefusedPlainly(t *testing.T) {
	srv, _ := testServer(t)
	id := runContainer(t, srv, runPod(t, srv, podConfig("proxy", true, t.TempDir())).Id)
	calls := map[string]func() error{
		"exec": func() error { _, err := srv.Exec(background, &runtimeapi.ExecRequest{ContainerId: id}); return err },
		"exec sync": func() error {
			_, err := srv.ExecSync(background, &runtimeapi.ExecSyncRequest{ContainerId: id})
			return err
		},
	}
	for name, call := range calls {
		if err := call(); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), rehearsed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, call := range map[string]func() error{
		"attach":       func() error { _, err := srv.Attach(background, nil); return err },
		"port-forward": func() error { _, err := srv.PortForward(background, nil); return err },
	} {
		if err := call(); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "needs a real Windows node") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNetworkIsReadyAndThePodRangeReachesContainerd(t *testing.T) {
	srv, _ := testServer(t)
	response, err := srv.Status(background, &runtimeapi.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, condition := range response.Status.Conditions {
		if !condition.Status {
			t.Errorf("%s is not true", condition.Type)
		}
	}
	setPodCIDR(t, srv, "10.244.3.0/24")
	if got := srv.containerd.(*fakeContainerd).podCIDR; got != "10.244.3.0/24" {
		t.Errorf("containerd was told %q", got)
	}
}
