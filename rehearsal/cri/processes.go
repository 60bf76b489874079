package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	// outputSeconds is how long the output of a process is waited for that has ended: others may have it open.
	outputSeconds = 2
	// killSeconds is how long a killed process may take to be gone.
	killSeconds = 30
)

// mountPointVariable tells a HostProcess container where its image and its volumes are.
const mountPointVariable = "CONTAINER_SANDBOX_MOUNT_POINT"

// hostProcesses are the containers that really run: programs on this machine's own network and disk.
type hostProcesses struct {
	// images is a folder with a folder of programs for each image.
	images string
	// roots is a folder for each container's files.
	roots string
	// volumes is the folder in which kubelet keeps pods' volumes.
	volumes string
	now     func() time.Time

	mu  sync.Mutex
	all map[string]*hostProcess
}

// hostProcess is a container's process; what is needed to start it, environment and all, is only in memory.
type hostProcess struct {
	root  string
	words []string
	dir   string
	env   []string

	mu sync.Mutex
	// job is nil until it is started.
	job *job
	// ended is closed when it has ended and that is known to the state.
	ended chan struct{}
}

// make notes what a container will run, and makes its files.
func (h *hostProcesses) make(id, reference string, config *runtimeapi.ContainerConfig) error {
	name := imageName(reference)
	root := filepath.Join(h.roots, id)
	if err := makeContainerRoot(root, filepath.Join(h.images, name), config.GetMounts(), h.volumes); err != nil {
		os.RemoveAll(root)
		return fmt.Errorf("the files of a container of %s: %w", reference, err)
	}
	env := append(os.Environ(), "PATH="+root+string(os.PathListSeparator)+os.Getenv("PATH"), mountPointVariable+"="+root)
	for _, variable := range config.GetEnvs() {
		env = append(env, variable.GetKey()+"="+string(variable.GetValue()))
	}
	dir := config.GetWorkingDir()
	if dir == "" {
		dir = root
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[id] = &hostProcess{
		root: root, words: imagePrograms[name].words(config), dir: dir, env: env, ended: make(chan struct{}),
	}
	return nil
}

// get is a container's process; nil when it is not one of this run of the program.
func (h *hostProcesses) get(id string) *hostProcess {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[id]
}

// start starts a container's process. When it ends, `end` is called with its exit code, once, by another goroutine.
func (h *hostProcesses) start(id, logFile string, end func(code int32)) error {
	p := h.get(id)
	if p == nil {
		return fmt.Errorf("the container %s was made before this program was started", id)
	}
	file := &sync.Mutex{}
	stdout := &containerLog{file: file, path: logFile, stream: "stdout", now: h.now}
	stderr := &containerLog{file: file, path: logFile, stream: "stderr", now: h.now}
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
	job, err := newJob()
	if err != nil {
		return err
	}
	if err := appendToLog(logFile, nil); err != nil {
		job.close()
		return err
	}
	if err := startIn(job, cmd); err != nil {
		job.close()
		return err
	}
	p.mu.Lock()
	p.job = job
	p.mu.Unlock()
	go func() {
		cmd.Wait() // what it says is in the process' state
		stdout.end()
		stderr.end()
		end(exitCode(cmd.ProcessState))
		// What it has started ends with it, as with a container.
		job.kill()
		close(p.ended)
	}()
	return nil
}

// startIn starts a process as one of a job's.
func startIn(job *job, cmd *exec.Cmd) error {
	cmd.WaitDelay = outputSeconds * time.Second
	job.prepare(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := job.add(cmd.Process); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return fmt.Errorf("the process can't be put into its job: %w", err)
	}
	return nil
}

// command prepares a program of the container or of the machine, with the container's environment.
func (p *hostProcess) command(words []string) (*exec.Cmd, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("there is no command")
	}
	program, err := findProgram(p.root, words[0])
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{Path: program, Args: words, Dir: p.dir, Env: p.env}, nil
}

// started is the job of a process that has been started; nil before.
func (p *hostProcess) started() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.job
}

// stop asks a process to end, kills it after the time of grace, and returns when it has ended.
func (p *hostProcess) stop(grace time.Duration) error {
	job := p.started()
	if job == nil {
		return nil
	}
	select {
	case <-p.ended:
		return nil // and its number may be another process' by now
	default:
	}
	if grace > 0 && job.terminate() == nil {
		select {
		case <-p.ended:
			return nil
		case <-time.After(grace):
		}
	}
	killed := job.kill()
	select {
	case <-p.ended:
		return nil
	case <-time.After(killSeconds * time.Second):
		return fmt.Errorf("the process has not ended within %d s of being killed (%v)", killSeconds, killed)
	}
}

// forget ends a container's process if there is one, and removes its files.
func (h *hostProcesses) forget(id string) error {
	p := h.get(id)
	if p == nil {
		// One of an earlier run of this program: its process is gone, its files may not be.
		return os.RemoveAll(filepath.Join(h.roots, id))
	}
	if err := p.stop(0); err != nil {
		return err
	}
	if job := p.started(); job != nil {
		job.close()
	}
	h.mu.Lock()
	delete(h.all, id)
	h.mu.Unlock()
	return os.RemoveAll(p.root)
}
