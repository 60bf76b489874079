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

// withAgnhost gives the server an image whose program is a script of the test's, called as agnhost is.
func withAgnhost(t *testing.T, srv *server, script string) {
	t.Helper()
	folder := filepath.Join(srv.processes.images, "agnhost")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "agnhost.exe"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// withBareAgnhost is the same with the program called as it is in agnhost's image for Windows.
func withBareAgnhost(t *testing.T, srv *server, script string) {
	t.Helper()
	withAgnhost(t, srv, script)
	program := filepath.Join(srv.processes.images, "agnhost", "agnhost.exe")
	if err := os.Rename(program, strings.TrimSuffix(program, ".exe")); err != nil {
		t.Fatal(err)
	}
}

// hostProcessContainer makes a container of the image in a HostProcess pod of its own.
func hostProcessContainer(t *testing.T, srv *server, config *runtimeapi.ContainerConfig) (string, string) {
	t.Helper()
	logs := t.TempDir()
	pod := runPod(t, srv, podConfig("real", true, logs))
	must(t)(srv.PullImage(background, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: agnhostImage}}))
	config.Metadata = &runtimeapi.ContainerMetadata{Name: "agnhost"}
	config.Image = &runtimeapi.ImageSpec{Image: agnhostImage}
	config.LogPath = "agnhost/0.log"
	created, err := srv.CreateContainer(background, &runtimeapi.CreateContainerRequest{PodSandboxId: pod.Id, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.processes.forget(created.ContainerId) })
	return created.ContainerId, filepath.Join(logs, "agnhost/0.log")
}

func start(t *testing.T, srv *server, id string) {
	t.Helper()
	must(t)(srv.StartContainer(background, &runtimeapi.StartContainerRequest{ContainerId: id}))
}

// awaitLog waits until a container has written something.
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

func awaitEnd(t *testing.T, srv *server, id string) *runtimeapi.ContainerStatus {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got := containerStatus(t, srv, id)
		if got.State == runtimeapi.ContainerState_CONTAINER_EXITED {
			return got
		}
		if time.Now().After(end) {
			t.Fatalf("the container has not ended within 20 s: %v", got.State)
		}
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
		if got := hasProcess(podConfig("a", true, ""), reference); got != (name == "agnhost") {
			t.Errorf("%s in a HostProcess pod really runs: %v", reference, got)
		}
		if hasProcess(podConfig("a", false, ""), reference) {
			t.Errorf("%s in a pod of its own network really runs", reference)
		}
	}
}

func TestWhatAnImageStarts(t *testing.T) {
	for name, each := range map[string]struct{ command, args, words []string }{
		"the image's own":     {nil, nil, []string{"/agnhost", "pause"}},
		"with arguments":      {nil, []string{"netexec"}, []string{"/agnhost", "netexec"}},
		"another command":     {[]string{"cmd"}, nil, []string{"cmd"}},
		"another one's words": {[]string{"cmd"}, []string{"/c", "dir"}, []string{"cmd", "/c", "dir"}},
	} {
		got := imagePrograms["agnhost"].words(&runtimeapi.ContainerConfig{Command: each.command, Args: each.args})
		if strings.Join(got, " ") != strings.Join(each.words, " ") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAHostProcessContainerRunsItsProgram(t *testing.T) {
	srv, file := testServer(t)
	withAgnhost(t, srv, `echo "args $*"; echo "variable $SETTING"; echo "in $PWD"; echo oops >&2; printf 'no end'; exit 7`)
	volume := filepath.Join(srv.processes.volumes, "uid/volumes/settings")
	if err := os.MkdirAll(volume, 0o755); err != nil {
		t.Fatal(err)
	}
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{
		Args: []string{"netexec", "--http-port=1"},
		Envs: []*runtimeapi.KeyValue{{Key: "SETTING", Value: []byte("hunter2")}},
		Mounts: []*runtimeapi.Mount{
			{HostPath: volume, ContainerPath: "/etc/settings"},
			{HostPath: t.TempDir(), ContainerPath: "/host"},
		},
	})
	root := filepath.Join(srv.processes.roots, id)
	start(t, srv, id)
	got := awaitEnd(t, srv, id)
	if got.ExitCode != 7 || got.Reason != reasonFailed || got.StartedAt == 0 || got.FinishedAt < got.StartedAt {
		t.Errorf("it ended so: %v", got)
	}
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
	if _, err := os.Lstat(filepath.Join(root, "host")); err == nil {
		t.Error("a folder of the host is in the container's folder, too")
	}
	if state, err := os.ReadFile(file); err != nil || strings.Contains(string(state), "hunter2") {
		t.Errorf("the file holds the container's environment (%v)", err)
	}
	must(t)(srv.RemoveContainer(background, &runtimeapi.RemoveContainerRequest{ContainerId: id}))
	if _, err := os.Lstat(root); !os.IsNotExist(err) {
		t.Errorf("its files after it was removed: %v", err)
	}
	if _, err := os.Stat(volume); err != nil {
		t.Errorf("kubelet's volume after it was removed: %v", err)
	}
}

func TestAHostProcessContainerEndsWell(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `exit 0`)
	id, _ := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
	start(t, srv, id)
	if got := awaitEnd(t, srv, id); got.ExitCode != 0 || got.Reason != reasonStopped {
		t.Errorf("it ended so: %v", got)
	}
	if _, err := srv.StartContainer(background, &runtimeapi.StartContainerRequest{ContainerId: id}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("started a second time: %v", err)
	}
}

func TestStoppingAsksFirst(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `trap 'echo bye; exit 2' TERM; echo up; while :; do sleep 0.05; done`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
	start(t, srv, id)
	awaitLog(t, log, "up")
	for range 2 {
		must(t)(srv.StopContainer(background, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: 20}))
	}
	if got := containerStatus(t, srv, id); got.State != runtimeapi.ContainerState_CONTAINER_EXITED || got.ExitCode != 2 {
		t.Errorf("it ended so: %v", got)
	}
	awaitLog(t, log, "bye")
}

func TestStoppingKillsAfterTheTimeOfGrace(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `trap 'echo no' TERM; echo up; while :; do sleep 0.05; done`)
	for name, stop := range map[string]func(id, pod string) error{
		"container": func(id, _ string) error {
			_, err := srv.StopContainer(background, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: 1})
			return err
		},
		"sandbox": func(_, pod string) error {
			_, err := srv.StopPodSandbox(background, &runtimeapi.StopPodSandboxRequest{PodSandboxId: pod})
			return err
		},
	} {
		id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
		start(t, srv, id)
		awaitLog(t, log, "up")
		if err := stop(id, srv.state.Containers[id].SandboxID); err != nil {
			t.Fatal(err)
		}
		got := containerStatus(t, srv, id)
		if got.State != runtimeapi.ContainerState_CONTAINER_EXITED || got.ExitCode != killedCode || got.Reason != reasonFailed {
			t.Errorf("%s: it ended so: %v", name, got)
		}
	}
}

func TestRemovingASandboxEndsItsProcesses(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `echo up; sleep 600`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
	start(t, srv, id)
	awaitLog(t, log, "up")
	process := srv.processes.get(id)
	must(t)(srv.RemovePodSandbox(background, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: srv.state.Containers[id].SandboxID}))
	select {
	case <-process.ended:
	default:
		t.Error("its process has not ended")
	}
	if srv.processes.get(id) != nil || srv.state.Containers[id] != nil {
		t.Error("it is still known")
	}
}

func TestWhatIsNoProgramToCmd(t *testing.T) {
	for name, command := range map[string]string{
		"one that is not there":                   "/no/such-program",
		"the image's own, which has no extension": "/agnhost",
		"the same in the container's own folder":  "ROOT/agnhost",
	} {
		srv, _ := testServer(t)
		withBareAgnhost(t, srv, `exit 0`)
		id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
		command = strings.Replace(command, "ROOT", filepath.Join(srv.processes.roots, id), 1)
		srv.processes.get(id).words = []string{command}
		start(t, srv, id)
		if got := awaitEnd(t, srv, id); got.ExitCode != 1 || got.Reason != reasonFailed {
			t.Errorf("%s: it ended so: %v", name, got)
		}
		awaitLog(t, log, "stderr F '"+command+"' is not recognized as an internal or external command,")
	}
}

func TestACopyWithAnExtensionIsAProgram(t *testing.T) {
	srv, _ := testServer(t)
	withBareAgnhost(t, srv, `echo up`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{
		Command: []string{"sh", "-c", `cp "$CONTAINER_SANDBOX_MOUNT_POINT"/agnhost agnhost.exe && ./agnhost.exe`},
	})
	start(t, srv, id)
	awaitLog(t, log, "up")
}

func TestAnImageThatIsNotOnTheDisk(t *testing.T) {
	srv, _ := testServer(t)
	pod := runPod(t, srv, podConfig("real", true, ""))
	must(t)(srv.PullImage(background, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: agnhostImage}}))
	_, err := srv.CreateContainer(background, &runtimeapi.CreateContainerRequest{
		PodSandboxId: pod.Id, Config: &runtimeapi.ContainerConfig{Image: &runtimeapi.ImageSpec{Image: agnhostImage}},
	})
	if err == nil || !strings.Contains(err.Error(), "not on this machine") {
		t.Errorf("error is %v", err)
	}
}

func TestCommandsInAHostProcessContainer(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `[ "$1" = pause ] || exec "$@"; echo up; sleep 600`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{
		Envs: []*runtimeapi.KeyValue{{Key: "SETTING", Value: []byte("here")}},
	})
	exec := func(timeout int64, words ...string) (*runtimeapi.ExecSyncResponse, error) {
		return srv.ExecSync(background, &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: words, Timeout: timeout})
	}
	if _, err := exec(0, "true"); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("before it is started: %v", err)
	}
	start(t, srv, id)
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
	if got := containerStatus(t, srv, id); got.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
		t.Errorf("after all that it is %v", got.State)
	}
}

// unclosed is a stream of kubectl's.
type unclosed struct{ bytes.Buffer }

func (*unclosed) Close() error { return nil }

func TestStreamsOfKubectlExec(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `echo up; sleep 600`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
	start(t, srv, id)
	awaitLog(t, log, "up")
	if err := srv.serveStreams(); err != nil {
		t.Fatal(err)
	}
	response, err := srv.Exec(background, &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"cat"}, Stdout: true})
	if err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:[1-9]\d*/exec/\S+$`).MatchString(response.Url) {
		t.Errorf("where its streams are: %v, %v", response, err)
	}
	streams := &streamRuntime{srv}
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
	srv, file := testServer(t)
	withAgnhost(t, srv, `echo up; sleep 600`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
	start(t, srv, id)
	awaitLog(t, log, "up")
	loaded, err := loadState(file, "boot-1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if c := loaded.Containers[id]; c.State != runtimeapi.ContainerState_CONTAINER_EXITED || c.Reason != reasonLost || c.ExitCode != unknownCode {
		t.Errorf("after a restart it is %v", c)
	}
	again := &server{state: loaded, save: srv.save, now: srv.now, processes: &hostProcesses{roots: srv.processes.roots, all: map[string]*hostProcess{}}}
	must(t)(again.StopContainer(background, &runtimeapi.StopContainerRequest{ContainerId: id}))
	must(t)(again.RemoveContainer(background, &runtimeapi.RemoveContainerRequest{ContainerId: id}))
	if _, err := os.Lstat(filepath.Join(srv.processes.roots, id)); !os.IsNotExist(err) {
		t.Errorf("its files after it was removed: %v", err)
	}
}

func TestLongLinesAreWrittenInParts(t *testing.T) {
	srv, _ := testServer(t)
	withAgnhost(t, srv, `head -c 20000 /dev/zero | tr '\0' x; echo; printf 'with a return\r\n'`)
	id, log := hostProcessContainer(t, srv, &runtimeapi.ContainerConfig{})
	start(t, srv, id)
	awaitEnd(t, srv, id)
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
	must(t)(srv.ReopenContainerLog(background, &runtimeapi.ReopenContainerLogRequest{ContainerId: id}))
	if text, err := os.ReadFile(log); err != nil || len(text) != 0 {
		t.Errorf("the log that was made anew: %q, %v", text, err)
	}
}
