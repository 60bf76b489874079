package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	utilexec "k8s.io/utils/exec"
)

const agnhostImage = "registry.example:5000/e2e/agnhost:2.63.0"

// agnhost returns a server with an image whose program is the test's script, named agnhost: on Windows, too, agnhost's
// program has no extension.
func agnhost(t *testing.T, program, script string) *testServer {
	t.Helper()
	srv := newServer(t)
	folder := filepath.Join(srv.images, "agnhost")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return srv
}

// hostProcess creates a container of the image in a new HostProcess pod. It returns the container's id and its log.
func (s *testServer) hostProcess(config *runtimeapi.ContainerConfig) (string, string) {
	s.t.Helper()
	logs := s.t.TempDir()
	id := s.create(s.pod("real", true, logs).Id, agnhostImage, config)
	s.t.Cleanup(func() { s.remove(id) })
	return id, filepath.Join(logs, "app/0.log")
}

// up returns a started container whose script has printed "up".
func (s *testServer) up(config *runtimeapi.ContainerConfig) (string, string) {
	s.t.Helper()
	id, log := s.hostProcess(config)
	s.start(id)
	awaitLog(s.t, log, "up")
	return id, log
}

func awaitLog(t *testing.T, file, wanted string) string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		if strings.Contains(string(text), wanted) {
			return string(text)
		}
		if time.Now().After(end) {
			t.Fatalf("no %q in the log within 20 s: %q", wanted, text)
		}
	}
}

func (s *testServer) assertEnd(id string, code int32, reason string) *runtimeapi.ContainerStatus {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got := s.status(id)
		if got.State == runtimeapi.ContainerState_CONTAINER_EXITED {
			if got.ExitCode != code || got.Reason != reason || got.StartedAt == 0 || got.FinishedAt < got.StartedAt {
				s.t.Errorf("it ended so: %v", got)
			}
			return got
		}
		if time.Now().After(end) {
			s.t.Fatalf("the container has not ended within 20 s: %v", got.State)
		}
	}
}

func assertGone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", path, err)
	}
}

func TestImagesWithAProgram(t *testing.T) {
	for reference, name := range map[string]string{
		"agnhost": "agnhost",
		"registry.k8s.io/e2e-test-images/agnhost":   "agnhost",
		"registry.example:5000/agnhost:2.63.0":      "agnhost",
		"registry.example:5000/agnhost@sha256:0123": "agnhost",
		"a/agnhost:2@sha256:0123":                   "agnhost",
		"example/agnhost-like:1":                    "agnhost-like",
		"example/agnhost/other:1":                   "other",
	} {
		if got := imageName(reference); got != name {
			t.Errorf("%s is %q, not %q", reference, got, name)
		}
		if got := (&server{}).runs(programOf(reference), &runtimeapi.ContainerConfig{}); got != (name == "agnhost") {
			t.Errorf("%s has a program: %v", reference, got)
		}
	}
	srv := agnhost(t, "agnhost.exe", "")
	srv.setRange("10.244.3.0/24")
	for hostNetwork, logs := range map[bool]string{false: "", true: t.TempDir()} {
		id := srv.create(srv.pod("a", hostNetwork, logs).Id, agnhostImage, &runtimeapi.ContainerConfig{})
		if srv.state.Containers[id].Process != hostNetwork {
			t.Errorf("it really runs: %v", !hostNetwork)
		}
	}
}

func TestWhatAnImageStarts(t *testing.T) {
	for name, each := range map[string]struct{ command, args, words string }{
		"the image's own":     {"", "", "/agnhost pause"},
		"with arguments":      {"", "netexec", "/agnhost netexec"},
		"another command":     {"cmd", "", "cmd"},
		"another one's words": {"cmd", "/c dir", "cmd /c dir"},
	} {
		config := &runtimeapi.ContainerConfig{Command: strings.Fields(each.command), Args: strings.Fields(each.args)}
		if got := strings.Join(programOf("agnhost").words(config), " "); got != each.words {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAHostProcessContainerRunsItsProgram(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `echo "args $*"; echo "variable $SETTING"; echo "in $PWD"; echo oops >&2; printf 'no end'; exit 7`)
	volume := filepath.Join(srv.volumes, "uid/volumes/settings")
	if err := os.MkdirAll(volume, 0o755); err != nil {
		t.Fatal(err)
	}
	id, log := srv.hostProcess(&runtimeapi.ContainerConfig{
		Args: []string{"netexec", "--http-port=1"},
		Envs: []*runtimeapi.KeyValue{{Key: "SETTING", Value: []byte("hunter2")}},
		Mounts: []*runtimeapi.Mount{
			{HostPath: volume, ContainerPath: "/etc/settings"},
			{HostPath: t.TempDir(), ContainerPath: "/host"},
		},
	})
	root := filepath.Join(srv.roots, id)
	srv.start(id)
	srv.assertEnd(id, 7, reasonFailed)
	text := awaitLog(t, log, "no end")
	for _, line := range []string{
		"stdout F args netexec --http-port=1", "stdout F variable hunter2", "stdout F in " + root, "stderr F oops", "stdout F no end",
	} {
		if !regexp.MustCompile(`(?m)^\S+T\S+Z? ` + regexp.QuoteMeta(line) + `$`).MatchString(text) {
			t.Errorf("no line %q in %q", line, text)
		}
	}
	if target, err := os.Readlink(filepath.Join(root, "etc/settings")); target != volume {
		t.Errorf("kubelet's volume: %q, %v", target, err)
	}
	assertGone(t, filepath.Join(root, "host"))
	if state, err := os.ReadFile(srv.state.file); err != nil || strings.Contains(string(state), "hunter2") {
		t.Errorf("the file holds the container's environment (%v)", err)
	}
	srv.removeContainer(id)
	assertGone(t, root)
	if _, err := os.Stat(volume); err != nil {
		t.Errorf("kubelet's volume after it was removed: %v", err)
	}
}

// kubeProxy creates a container of an image of kube-proxy, whose program is the test's script.
func kubeProxy(t *testing.T, script string, args ...string) (*testServer, string, string) {
	srv := newServer(t)
	folder := filepath.Join(srv.images, "kube-proxy/kube-proxy")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kube-proxy.exe"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	volume := filepath.Join(srv.volumes, "uid/volumes/settings")
	if err := os.MkdirAll(volume, 0o755); err != nil {
		t.Fatal(err)
	}
	logs := t.TempDir()
	id := srv.create(srv.pod("proxy", true, logs).Id, "sigwindowstools/kube-proxy:v1.36.4-calico-hostprocess", &runtimeapi.ContainerConfig{
		Command: append([]string{"kube-proxy/kube-proxy.exe", "$env:CONTAINER_SANDBOX_MOUNT_POINT/start.ps1"}, args...),
		Mounts:  []*runtimeapi.Mount{{HostPath: volume, ContainerPath: "/var/lib/kube-proxy"}},
	})
	t.Cleanup(func() { srv.remove(id) })
	return srv, id, filepath.Join(logs, "app/0.log")
}

func TestKubeProxyReallyRunsWithANetwork(t *testing.T) {
	srv, id, log := kubeProxy(t, `echo "args $*"`, "-NetworkName", "flannel.4096")
	own := filepath.Join(srv.drive, "var/lib/kube-proxy")
	if _, err := os.Stat(own); err != nil {
		t.Errorf("its volume at its own path: %v", err)
	}
	srv.start(id)
	awaitLog(t, log, "args "+filepath.Join(srv.roots, id)+"/start.ps1 -NetworkName flannel.4096")
	srv.assertEnd(id, 0, reasonStopped)
	srv.removeContainer(id)
	assertGone(t, own)
}

func TestKubeProxyIsModelledWithoutANetworkThatIsMadeHere(t *testing.T) {
	for _, args := range [][]string{nil, {"-NetworkName"}, {"-NetworkName", "other"}, {"-NetworkName", "Calico"}} {
		srv, id, log := kubeProxy(t, `echo no`, args...)
		srv.start(id)
		awaitLog(t, log, rehearsed)
		if srv.state.Containers[id].Process {
			t.Errorf("it really runs with %q", args)
		}
	}
}

func TestAHostProcessContainerEndsWell(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `exit 0`)
	id, _ := srv.hostProcess(&runtimeapi.ContainerConfig{})
	srv.start(id)
	srv.assertEnd(id, 0, reasonStopped)
	if _, err := srv.StartContainer(background, &runtimeapi.StartContainerRequest{ContainerId: id}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("started a second time: %v", err)
	}
}

func TestStoppingAsksFirst(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `trap 'echo bye; exit 2' TERM; echo up; while :; do sleep 0.05; done`)
	id, log := srv.up(&runtimeapi.ContainerConfig{})
	for range 2 {
		srv.stopContainer(id, 20)
	}
	srv.assertEnd(id, 2, reasonFailed)
	awaitLog(t, log, "bye")
}

func TestStoppingKillsAfterTheTimeOfGrace(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `trap 'echo no' TERM; echo up; while :; do sleep 0.05; done`)
	for _, stop := range []func(id string){
		func(id string) { srv.stopContainer(id, 1) },
		func(id string) { srv.stopPod(srv.state.Containers[id].SandboxID) },
	} {
		id, _ := srv.up(&runtimeapi.ContainerConfig{})
		stop(id)
		srv.assertEnd(id, killedCode, reasonFailed)
	}
}

func TestRemovingASandboxEndsItsProcesses(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `echo up; sleep 600`)
	id, _ := srv.up(&runtimeapi.ContainerConfig{})
	process := srv.processes[id]
	srv.removePod(srv.state.Containers[id].SandboxID)
	select {
	case <-process.ended:
	default:
		t.Error("its process has not ended")
	}
	if srv.processes[id] != nil || srv.state.Containers[id] != nil {
		t.Error("it is still known")
	}
}

func TestWhatIsNoProgramToCmd(t *testing.T) {
	for name, command := range map[string]string{
		"one that is not there":                   "/no/such-program",
		"the image's own, which has no extension": "/agnhost",
		"the same in the container's own folder":  "ROOT/agnhost",
	} {
		srv := agnhost(t, "agnhost", `exit 0`)
		id, log := srv.hostProcess(&runtimeapi.ContainerConfig{})
		command = strings.Replace(command, "ROOT", filepath.Join(srv.roots, id), 1)
		srv.processes[id].words = []string{command}
		srv.start(id)
		if got := srv.assertEnd(id, 1, reasonFailed); got.ExitCode != 1 {
			t.Errorf("that was %s", name)
		}
		awaitLog(t, log, "stderr F '"+command+"' is not recognized as an internal or external command,")
	}
}

func TestACopyWithAnExtensionIsAProgram(t *testing.T) {
	agnhost(t, "agnhost", `echo up`).up(&runtimeapi.ContainerConfig{
		Command: []string{"sh", "-c", `cp "$CONTAINER_SANDBOX_MOUNT_POINT"/agnhost agnhost.exe && ./agnhost.exe`},
	})
}

func TestAnImageThatIsNotOnTheDisk(t *testing.T) {
	srv := newServer(t)
	do(srv, srv.PullImage, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: agnhostImage}})
	id, log := srv.hostProcess(&runtimeapi.ContainerConfig{})
	srv.start(id)
	awaitLog(t, log, rehearsed)
}

func TestCommandsInAHostProcessContainer(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `[ "$1" = pause ] || exec "$@"; echo up; sleep 600`)
	id, log := srv.hostProcess(&runtimeapi.ContainerConfig{
		Envs: []*runtimeapi.KeyValue{{Key: "SETTING", Value: []byte("here")}},
	})
	exec := func(timeout int64, words ...string) (*runtimeapi.ExecSyncResponse, error) {
		return srv.ExecSync(background, &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: words, Timeout: timeout})
	}
	if _, err := exec(0, "true"); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("before it is started: %v", err)
	}
	srv.start(id)
	awaitLog(t, log, "up")
	got, err := exec(20, "agnhost", "sh", "-c", `echo "$SETTING"; echo oops >&2; exit 3`)
	if err != nil || string(got.Stdout) != "here\n" || string(got.Stderr) != "oops\n" || got.ExitCode != 3 {
		t.Errorf("the command: %v, %v", got, err)
	}
	if _, err := exec(1, "sleep", "600"); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("a command without end: %v", err)
	}
	got, err = exec(20, "no-such-program")
	if err != nil || got.ExitCode != 1 || !strings.HasPrefix(string(got.Stderr), "'no-such-program' is not recognized") {
		t.Errorf("a command that is not there: %v, %v", got, err)
	}
	if got := srv.status(id); got.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
		t.Errorf("after all that it is %v", got.State)
	}
}

// unclosed is a kubectl stream, which ignores Close.
type unclosed struct{ bytes.Buffer }

func (*unclosed) Close() error { return nil }

func TestStreamsOfKubectlExec(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `echo up; sleep 600`)
	id, _ := srv.up(&runtimeapi.ContainerConfig{})
	if err := srv.serveStreams(); err != nil {
		t.Fatal(err)
	}
	response, err := srv.Exec(background, &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"cat"}, Stdout: true})
	if err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:[1-9]\d*/exec/\S+$`).MatchString(response.Url) {
		t.Errorf("where its streams are: %v, %v", response, err)
	}
	streams := &streamRuntime{srv.server}
	stdout, stderr := &unclosed{}, &unclosed{}
	err = streams.Exec(background, id, []string{"sh", "-c", "cat; echo oops >&2; exit 9"}, strings.NewReader("typed"), stdout, stderr, false, nil)
	exit, ok := err.(utilexec.ExitError)
	if !ok || exit.ExitStatus() != 9 || stdout.String() != "typed" || stderr.String() != "oops\n" {
		t.Errorf("error %v, stdout %q, stderr %q", err, stdout, stderr)
	}
	if err := streams.Exec(background, id, []string{"true"}, nil, nil, nil, false, nil); err != nil {
		t.Errorf("without any stream: %v", err)
	}
}

func TestARestartOfTheServerEndsItsProcesses(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `echo up; sleep 600`)
	id, _ := srv.up(&runtimeapi.ContainerConfig{})
	loaded, err := loadState(srv.state.file, "boot-1", srv.now())
	if err != nil {
		t.Fatal(err)
	}
	again := &testServer{t: t, server: &server{state: loaded, now: srv.now, roots: srv.roots}}
	again.assertEnd(id, unknownCode, reasonLost)
	again.stopContainer(id, 0)
	again.removeContainer(id)
	assertGone(t, filepath.Join(srv.roots, id))
}

func TestLongLinesAreWrittenInParts(t *testing.T) {
	srv := agnhost(t, "agnhost.exe", `head -c 20000 /dev/zero | tr '\0' x; echo; printf 'with a return\r\n'`)
	id, log := srv.hostProcess(&runtimeapi.ContainerConfig{})
	srv.start(id)
	srv.assertEnd(id, 0, reasonStopped)
	text := awaitLog(t, log, "return")
	parts := regexp.MustCompile(`(?m)^\S+ stdout ([PF]) (x+)$`).FindAllStringSubmatch(text, -1)
	if len(parts) != 2 || parts[0][1] != "P" || parts[1][1] != "F" || len(parts[0][2]) != logLineBytes || len(parts[0][2]+parts[1][2]) != 20_000 {
		t.Errorf("%d parts in %d bytes", len(parts), len(text))
	}
	if !strings.Contains(text, " stdout F with a return\n") {
		t.Errorf("the last line of %q", text[len(text)-80:])
	}
	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	do(srv, srv.ReopenContainerLog, &runtimeapi.ReopenContainerLogRequest{ContainerId: id})
	if text, err := os.ReadFile(log); err != nil || len(text) != 0 {
		t.Errorf("the log that was made anew: %q, %v", text, err)
	}
}

func TestCalicosContainersSeeTheMachinesFolders(t *testing.T) {
	srv := newServer(t)
	folder := filepath.Join(srv.images, "cni-windows/opt/cni/bin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nroot=$CONTAINER_SANDBOX_MOUNT_POINT; echo one >$root/host/opt/cni/bin/calico.exe; echo in $PWD with $CERTIFICATE; exit 0\n"
	if err := os.WriteFile(filepath.Join(folder, "install.exe"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	plugins, logs := filepath.Join(t.TempDir(), "opt/cni/bin"), t.TempDir()
	id := srv.create(srv.pod("calico", true, logs).Id, "quay.io/calico/cni-windows:v3.32.1", &runtimeapi.ContainerConfig{
		Command:    []string{"$env:CONTAINER_SANDBOX_MOUNT_POINT/opt/cni/bin/install.exe"},
		WorkingDir: "$env:CONTAINER_SANDBOX_MOUNT_POINT/opt/",
		Envs:       []*runtimeapi.KeyValue{{Key: "CERTIFICATE", Value: []byte("$env:CONTAINER_SANDBOX_MOUNT_POINT/tls.crt")}},
		Mounts:     []*runtimeapi.Mount{{HostPath: plugins, ContainerPath: "/host/opt/cni/bin"}},
	})
	root := filepath.Join(srv.roots, id)
	srv.start(id)
	awaitLog(t, filepath.Join(logs, "app/0.log"), "in "+filepath.Join(root, "opt")+" with "+root+"/tls.crt")
	srv.assertEnd(id, 0, reasonStopped)
	installed := filepath.Join(plugins, "calico.exe")
	if text, err := os.ReadFile(installed); string(text) != "one\n" {
		t.Errorf("what it has written: %q, %v", text, err)
	}
	srv.removeContainer(id)
	assertGone(t, root)
	if _, err := os.Stat(installed); err != nil {
		t.Errorf("it is gone with the container: %v", err)
	}
}
