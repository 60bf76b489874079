package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	// outputSeconds limits the wait for the output of a process that has ended: other processes may have it open.
	outputSeconds = 2
	killSeconds   = 30
	// execOutputBytes is the part of a command's output that is kept for kubelet, as in containerd.
	execOutputBytes = 16 << 20
	// mountPointVariable tells a HostProcess container the folder of its image and its volumes.
	mountPointVariable = "CONTAINER_SANDBOX_MOUNT_POINT"
)

// hostProcess is the process of a container that really runs, on this machine's own disk. Its command and environment are only
// kept in memory.
type hostProcess struct {
	root string
	// inPod is whether it has the pod's network instead of the machine's.
	inPod bool
	words []string
	dir   string
	env   []string
	job   *job
	// ended is closed when the process has ended and the state says so.
	ended chan struct{}
	// ownPaths are its volumes outside of its root.
	ownPaths []string
}

func (s *server) newProcess(root, reference string, program *imageProgram, sb *sandbox, config *runtimeapi.ContainerConfig) (*hostProcess, error) {
	env := append(os.Environ(), "PATH="+root+string(os.PathListSeparator)+os.Getenv("PATH"))
	if sb.HostProcess {
		env = append(env, mountPointVariable+"="+root)
	} else {
		own, err := s.podEnvironment(sb)
		if err != nil {
			return nil, err
		}
		env = append(env, own...)
	}
	volumes := s.kubeletVolumes(config.GetMounts())
	err := s.makeRoot(root, filepath.Join(s.images, imageName(reference)), volumes)
	ownPaths := []string{}
	if err == nil && program.ownPaths {
		ownPaths, err = s.linkAtOwnPaths(volumes)
	}
	if err == nil && program.hostPaths {
		err = s.linkHostPaths(root, config.GetMounts())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the files of a container of %s: %w", reference, err), removeRoot(root, program.hostPaths))
	}
	job, err := newJob()
	if err != nil {
		return nil, errors.Join(err, removeRoot(root, program.hostPaths))
	}
	for _, variable := range config.GetEnvs() {
		value := string(variable.GetValue())
		if sb.HostProcess {
			value = withMountPoint(value, root)
		}
		env = append(env, variable.GetKey()+"="+value)
	}
	dir := config.GetWorkingDir()
	if dir == "" {
		dir = root
	}
	return &hostProcess{root: root, inPod: !sb.HostProcess, words: program.words(config), dir: withMountPoint(dir, root), env: env, job: job, ended: make(chan struct{}), ownPaths: ownPaths}, nil
}

// withMountPoint replaces the mount point's variable in a word of a command, in its folder or in a variable's value, as hcsshim
// does (jobcontainers).
func withMountPoint(word, root string) string {
	for _, variable := range []string{"%" + mountPointVariable + "%", "$env:" + mountPointVariable} {
		word = strings.ReplaceAll(word, variable, root)
	}
	return word
}

// kubeletVolumes returns the mounts of kubelet's own volumes: a HostProcess container sees those of the host anyway.
func (s *server) kubeletVolumes(mounts []*runtimeapi.Mount) []*runtimeapi.Mount {
	volumes := []*runtimeapi.Mount{}
	for _, mount := range mounts {
		if s.isKubelets(mount) {
			volumes = append(volumes, mount)
		}
	}
	return volumes
}

func (s *server) isKubelets(mount *runtimeapi.Mount) bool {
	// Paths may omit the drive, because there is only one.
	path := strings.ToLower(filepath.ToSlash(withoutDrive(mount.GetHostPath())))
	return strings.HasPrefix(path, strings.ToLower(filepath.ToSlash(withoutDrive(s.volumes)))+"/")
}

// linkHostPaths makes the machine's folders visible below a container's root. Unlike kubelet's volumes, what the container
// writes there is the machine's.
func (s *server) linkHostPaths(root string, mounts []*runtimeapi.Mount) error {
	targets := map[string]string{}
	for _, mount := range mounts {
		if s.isKubelets(mount) {
			continue
		}
		link := filepath.Join(root, withoutDrive(mount.GetContainerPath()))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		if err := os.MkdirAll(mount.GetHostPath(), 0o755); err != nil {
			return err
		}
		targets[link] = mount.GetHostPath()
	}
	return linkFolders(targets)
}

// removeRoot removes a container's files, but not what its links to the machine's folders point to.
func removeRoot(root string, hasLinks bool) error {
	if hasLinks {
		return removeLinks(root)
	}
	return os.RemoveAll(root)
}

// linkAtOwnPaths makes volumes visible at their own paths. Each container would see its own there, but here they are
// the machine's, so this is only for images of which one container runs on a node. It returns the paths.
func (s *server) linkAtOwnPaths(volumes []*runtimeapi.Mount) ([]string, error) {
	made := []string{}
	for _, mount := range volumes {
		link := filepath.Join(s.drive, withoutDrive(mount.GetContainerPath()))
		// An earlier run of this program may have left it.
		if err := os.RemoveAll(link); err != nil {
			return nil, err
		}
		if err := linkVolume(mount, link); err != nil {
			return nil, err
		}
		made = append(made, link)
	}
	return made, nil
}

func linkVolume(mount *runtimeapi.Mount, link string) error {
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return err
	}
	return os.Symlink(mount.GetHostPath(), link)
}

// makeRoot creates the folder with a HostProcess container's image and volumes: on real Windows C:\hpc, or
// C:\C\<container> before containerd 1.7.
//
// The image's files are hard links. Volumes are symbolic links, which under Wine are copies (see
// toolchain/windows-goroot/os_wine_windows.go) made when the container is created, so later changes are not visible in
// them.
func (s *server) makeRoot(root, image string, volumes []*runtimeapi.Mount) error {
	if err := linkFiles(image, root); err != nil {
		return fmt.Errorf("the image's programs: %w", err)
	}
	for _, mount := range volumes {
		if err := linkVolume(mount, filepath.Join(root, withoutDrive(mount.GetContainerPath()))); err != nil {
			return err
		}
	}
	return nil
}

// linkFiles makes a folder with hard links to the files of another one.
func linkFiles(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		link := os.Link
		if file.IsDir() {
			link = linkFiles
		}
		if err := link(filepath.Join(from, file.Name()), filepath.Join(to, file.Name())); err != nil {
			return err
		}
	}
	return nil
}

func withoutDrive(path string) string {
	return strings.TrimPrefix(path, filepath.VolumeName(path))
}

// start starts a container's process. When it ends, another goroutine calls end once, with its exit code.
func (p *hostProcess) start(logFile string, end func(code int32)) error {
	stdout, stderr := processLogs(logFile)
	cmd, err := p.command(p.words)
	if unknown := (notRecognized{}); errors.As(err, &unknown) {
		go func() {
			io.WriteString(stderr, unknown.Error())
			end(notRecognizedCode)
			close(p.ended)
		}()
		return nil
	}
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := appendToLog(logFile, nil); err != nil {
		return err
	}
	if err := p.startInJob(cmd); err != nil {
		return err
	}
	go func() {
		cmd.Wait() // the result is in ProcessState
		stdout.end()
		stderr.end()
		// The container's other processes end with it.
		p.job.kill()
		end(exitCode(cmd.ProcessState))
		close(p.ended)
	}()
	return nil
}

func (p *hostProcess) startInJob(cmd *exec.Cmd) error {
	cmd.WaitDelay = outputSeconds * time.Second
	p.job.prepare(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := p.job.add(cmd.Process); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return fmt.Errorf("the process can't be put into its job: %w", err)
	}
	return nil
}

func (p *hostProcess) command(words []string) (*exec.Cmd, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("there is no command")
	}
	for i, word := range words {
		words[i] = withMountPoint(word, p.root)
	}
	program, err := findProgram(p.root, words[0], p.inPod)
	if err != nil {
		return nil, err
	}
	if p.inPod {
		if program, err = withExtension(program); err != nil {
			return nil, err
		}
	}
	return &exec.Cmd{Path: program, Args: words, Dir: p.dir, Env: p.env}, nil
}

// withExtension returns a link to a program without an extension, which Windows starts as it is, and Go's library does not.
func withExtension(program string) (string, error) {
	if filepath.Ext(program) != "" {
		return program, nil
	}
	link := program + programExtensions[1]
	if err := os.Link(program, link); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return link, nil
}

// stop asks a started process to end, kills it after the grace period, and returns when it has ended.
func (p *hostProcess) stop(grace time.Duration) error {
	if grace > 0 && p.job.terminate() == nil {
		select {
		case <-p.ended:
			return nil
		case <-time.After(grace):
		}
	}
	killed := p.job.kill()
	select {
	case <-p.ended:
		return nil
	case <-time.After(killSeconds * time.Second):
		return fmt.Errorf("the process has not ended within %d s of being killed (%v)", killSeconds, killed)
	}
}

// running returns the process of a running container. If it is only modelled, the error says that what needs Windows.
func (s *server) running(id, what string) (*hostProcess, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.state.container(id)
	if err != nil {
		return nil, err
	}
	if !c.isRunning() {
		return nil, status.Errorf(codes.FailedPrecondition, "the container %s does not run", id)
	}
	if !c.Process {
		return nil, status.Errorf(codes.Unimplemented, "%s; %s needs a real Windows node", rehearsed, what)
	}
	return s.processes[id], nil
}

// ExecSync runs a command in a container until it ends. kubelet uses it for probes and hooks only, which a modelled
// container passes, or its pod would never be ready.
func (s *server) ExecSync(ctx context.Context, in *runtimeapi.ExecSyncRequest) (*runtimeapi.ExecSyncResponse, error) {
	p, err := s.running(in.GetContainerId(), "running a command in it")
	if status.Code(err) == codes.Unimplemented {
		return &runtimeapi.ExecSyncResponse{Stdout: []byte(rehearsed)}, nil
	}
	if err != nil {
		return nil, err
	}
	if in.GetTimeout() > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(s.patience*in.GetTimeout())*time.Second)
		defer cancel()
		ctx = limited
	}
	stdout, stderr := &firstBytes{}, &firstBytes{}
	code, err := p.exec(ctx, in.GetCmd(), nil, stdout, stderr)
	if ctx.Err() != nil {
		// kubelet recognizes a probe that took too long by this code.
		return nil, status.Errorf(codes.DeadlineExceeded, "the command %q did not end in time", in.GetCmd())
	}
	if err != nil {
		return nil, status.Error(codes.Unknown, err.Error())
	}
	return &runtimeapi.ExecSyncResponse{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: code}, nil
}

// exec runs a command in the container until it ends. The end of the context kills it.
func (p *hostProcess) exec(ctx context.Context, words []string, stdin io.Reader, stdout, stderr io.Writer) (int32, error) {
	cmd, err := p.command(words)
	if unknown := (notRecognized{}); errors.As(err, &unknown) {
		if stderr != nil {
			io.WriteString(stderr, unknown.Error())
		}
		return notRecognizedCode, nil
	}
	if err != nil {
		return 0, err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	var input io.WriteCloser
	if stdin != nil {
		// Not as cmd.Stdin: Wait would wait for its end, but a user may leave a terminal open.
		if input, err = cmd.StdinPipe(); err != nil {
			return 0, err
		}
	}
	if err := p.startInJob(cmd); err != nil {
		return 0, err
	}
	if input != nil {
		go func() {
			io.Copy(input, stdin)
			input.Close()
		}()
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return 0, fmt.Errorf("%q could not be waited for: %w", words[0], err)
	}
	return exitCode(cmd.ProcessState), nil
}

// firstBytes keeps the first execOutputBytes that are written to it.
type firstBytes struct{ bytes.Buffer }

// Write accepts everything and drops the excess.
func (b *firstBytes) Write(output []byte) (int, error) {
	b.Buffer.Write(output[:min(len(output), execOutputBytes-b.Len())])
	return len(output), nil
}
