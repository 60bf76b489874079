package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// fakeNetworks are namespaces of HNS by their ids.
type fakeNetworks struct{ namespaces map[string]*podNamespace }

func (f *fakeNetworks) create() (string, error) {
	id := fmt.Sprintf("namespace-%d", len(f.namespaces))
	f.namespaces[id] = &podNamespace{compartment: len(f.namespaces) + 2, servers: []string{"10.96.0.10"}, search: []string{"default.svc", "svc"}}
	return id, nil
}

func (f *fakeNetworks) find(id string) (*podNamespace, error) { return f.namespaces[id], nil }

func (f *fakeNetworks) remove(id string) error {
	delete(f.namespaces, id)
	return nil
}

// networked returns a server with a CNI configuration, whose plugin is the test's script, and the file to which the script's
// calls are written.
func networked(t *testing.T, script string) (*testServer, *fakeNetworks, string) {
	t.Helper()
	// Without an extension, as in the image.
	srv := agnhost(t, "agnhost", `echo "up in $REHEARSAL_COMPARTMENT, asks $REHEARSAL_DNS_SERVERS for $REHEARSAL_DNS_SEARCH, is $REHEARSAL_HOSTNAME, root $CONTAINER_SANDBOX_MOUNT_POINT"; exec sleep 60`)
	networks := &fakeNetworks{map[string]*podNamespace{}}
	srv.networks = networks
	folder, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	srv.containerd.(*fakeContainerd).config = fmt.Sprintf(`{"cni":{"binDirs":[%q],"confDir":%q}}`, folder, folder)
	list := `{"cniVersion":"1.0.0","name":"flannel.4096","plugins":[{"type":"plugin","capabilities":{"dns":true,"portMappings":true}}]}`
	for name, text := range map[string]string{
		"20-other.conf":     "not read",
		"10-first.conflist": list,
		"plugin":            "#!/bin/sh\necho \"$CNI_COMMAND in '$CNI_NETNS' $CNI_IFNAME $CNI_ARGS\" $(cat) >> " + calls + "\n" + script,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return srv, networks, calls
}

const oneAddress = `[ $CNI_COMMAND = DEL ] || echo '{"cniVersion":"1.0.0","ips":[{"address":"10.244.1.5/24"}]}'`

// callsIn returns the plugin's calls so far, of each as many of its first words as given.
func callsIn(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (s *testServer) networkedPod(logs string) string {
	s.t.Helper()
	config := podConfig("web", false, logs)
	config.Hostname = "web"
	config.DnsConfig = &runtimeapi.DNSConfig{Servers: []string{"10.96.0.10"}, Searches: []string{"svc"}}
	config.PortMappings = []*runtimeapi.PortMapping{{ContainerPort: 80, HostPort: 8080}, {ContainerPort: 81}}
	return do(s, s.RunPodSandbox, &runtimeapi.RunPodSandboxRequest{Config: config}).PodSandboxId
}

func TestAPodGetsANamespaceAndItsAddressByCNI(t *testing.T) {
	srv, networks, calls := networked(t, oneAddress)
	logs := t.TempDir()
	pod := srv.networkedPod(logs)
	if ip := do(srv, srv.PodSandboxStatus, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: pod}).Status.Network.Ip; ip != "10.244.1.5" {
		t.Errorf("the address is %q", ip)
	}
	added := callsIn(t, calls)
	for _, part := range []string{
		"ADD in 'namespace-0' eth0 ", "K8S_POD_NAMESPACE=default", "K8S_POD_NAME=web", "K8S_POD_INFRA_CONTAINER_ID=" + pod,
		`"name":"flannel.4096"`, `"dns":{"servers":["10.96.0.10"],"searches":["svc"]}`,
		`"portMappings":[{"hostPort":8080,"containerPort":80,"protocol":"tcp","hostIP":""}]`,
	} {
		if len(added) != 1 || !strings.Contains(added[0], part) {
			t.Errorf("no %s in %q", part, added)
		}
	}
	id := srv.create(pod, agnhostImage, &runtimeapi.ContainerConfig{})
	srv.start(id)
	awaitLog(t, filepath.Join(logs, "app/0.log"), "up in 2, asks 10.96.0.10 for default.svc,svc, is web, root \n")
	// Its other programs have an extension.
	if err := os.WriteFile(filepath.Join(srv.roots, id, "ask.exe"), []byte("#!/bin/sh\necho asks in $REHEARSAL_COMPARTMENT"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := do(srv, srv.ExecSync, &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"ask"}}); string(got.Stdout) != "asks in 2\n" {
		t.Errorf("a command in it: %v", got)
	}
	for range 2 {
		srv.stopPod(pod)
	}
	srv.removePod(pod)
	if ended := callsIn(t, calls); len(ended) != 2 || !strings.HasPrefix(ended[1], "DEL in 'namespace-0' eth0 ") {
		t.Errorf("the plugin was called so: %q", ended)
	}
	if len(networks.namespaces) != 0 {
		t.Errorf("namespaces are left: %v", networks.namespaces)
	}
}

func TestAContainerInANetworkIsModelledWithoutItsProgram(t *testing.T) {
	srv, _, _ := networked(t, oneAddress)
	pod := srv.networkedPod("")
	for image, runs := range map[string]bool{agnhostImage: true, "example/iis:1": false, "kube-proxy:1": false} {
		if id := srv.create(pod, image, &runtimeapi.ContainerConfig{}); srv.state.Containers[id].Process != runs {
			t.Errorf("%s really runs: %v", image, !runs)
		}
	}
}

func TestAPodWhoseNetworkFailsLeavesNothing(t *testing.T) {
	srv, networks, calls := networked(t, `[ $CNI_COMMAND = DEL ] || { echo '{"cniVersion":"1.0.0","code":11,"msg":"no HNS"}'; exit 1; }`)
	_, err := srv.RunPodSandbox(background, &runtimeapi.RunPodSandboxRequest{Config: podConfig("web", false, "")})
	if status.Code(err) != codes.Unknown || !strings.Contains(err.Error(), "the pod network flannel.4096: ") || !strings.Contains(err.Error(), "no HNS") {
		t.Errorf("error is %v", err)
	}
	if ended := callsIn(t, calls); len(ended) != 2 || !strings.HasPrefix(ended[1], "DEL in 'namespace-0' ") {
		t.Errorf("the plugin was called so: %q", ended)
	}
	if len(networks.namespaces)+len(srv.state.Sandboxes) != 0 {
		t.Errorf("%d namespaces and %d sandboxes are left", len(networks.namespaces), len(srv.state.Sandboxes))
	}
}

func TestAPodWhoseNamespaceHNSHasLost(t *testing.T) {
	srv, networks, calls := networked(t, oneAddress)
	pod := srv.networkedPod("")
	clear(networks.namespaces)
	image := &runtimeapi.ImageSpec{Image: agnhostImage}
	do(srv, srv.PullImage, &runtimeapi.PullImageRequest{Image: image})
	_, err := srv.CreateContainer(background, &runtimeapi.CreateContainerRequest{
		PodSandboxId: pod, Config: &runtimeapi.ContainerConfig{Image: image},
	})
	if err == nil || !strings.Contains(err.Error(), "HNS has lost the pod's namespace namespace-0") {
		t.Errorf("a new container: %v", err)
	}
	srv.removePod(pod)
	if ended := callsIn(t, calls); len(ended) != 2 || !strings.HasPrefix(ended[1], "DEL in '' eth0 ") {
		t.Errorf("the plugin was called so: %q", ended)
	}
}

func TestPodsThatUseTheMachinesNetworkHaveNoNamespace(t *testing.T) {
	srv, networks, _ := networked(t, "exit 1")
	srv.pod("proxy", true, "")
	if len(networks.namespaces) != 0 {
		t.Errorf("namespaces: %v", networks.namespaces)
	}
}
