package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageProgram is an image whose programs may be on the disk: its default command, and how its containers run.
type imageProgram struct {
	entrypoint, args []string
	// networks are the HNS networks, named after networkArgument, without which a container of it is only modelled, each with
	// the image whose programs make it. Without an image a service does. Nil is none.
	networks map[string]string
	// inPods is whether it also runs in a pod with a network of its own: its programs know their pod (toolchain/windows-goroot).
	inPods bool
	// ownPaths is whether it reads its volumes at their own paths, as containers do since containerd 1.7.
	ownPaths bool
	// hostPaths is whether its folders of the machine are below its root, too, under their paths in the container.
	hostPaths bool
}

// imagePrograms are the images whose programs may be on the disk, each in a folder of its name. Commands are as in their
// Dockerfiles.
var imagePrograms = map[string]*imageProgram{
	"agnhost": {entrypoint: []string{"/agnhost"}, args: []string{"pause"}, inPods: true},
	// Calico's (node/Dockerfile.windows, cni-plugin/Dockerfile.windows): its programs find their volumes below their root.
	"node-windows": {entrypoint: []string{"powershell"}, hostPaths: true},
	"cni-windows":  {hostPaths: true},
	// Its command is always the pod's. Without a network that is made here it would wait for one, and fail, again and again.
	"kube-proxy": {networks: map[string]string{"flannel.4096": "", "cbr0": "", "Calico": "node-windows"}, ownPaths: true},
}

// networkArgument comes before the name of kube-proxy's network.
const networkArgument = "-NetworkName"

// runs is whether a container really runs.
func (s *server) runs(p *imageProgram, config *runtimeapi.ContainerConfig) bool {
	if p == nil || p.networks == nil {
		return p != nil
	}
	words := p.words(config)
	at := slices.Index(words, networkArgument) + 1
	if at == 0 || at == len(words) {
		return false
	}
	maker, isKnown := p.networks[words[at]]
	return isKnown && (maker == "" || s.isOnDisk(maker))
}

// canRun is whether a program can run in a pod.
func (sb *sandbox) canRun(p *imageProgram) bool {
	return sb.HostProcess || sb.Namespace != "" && p != nil && p.inPods
}

// isOnDisk is whether an image's programs are there.
func (s *server) isOnDisk(reference string) bool {
	folder, err := os.Stat(filepath.Join(s.images, imageName(reference)))
	return err == nil && folder.IsDir()
}

// programOf returns what is known of an image, or nil.
func programOf(reference string) *imageProgram { return imagePrograms[imageName(reference)] }

// imageName returns the last part of an image reference, without registry, path, tag and digest.
func imageName(reference string) string {
	reference, _, _ = strings.Cut(reference, "@")
	name := reference[strings.LastIndex(reference, "/")+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

// words returns a container's command line: its own command, or else the image's, with its own or the image's arguments.
func (p *imageProgram) words(config *runtimeapi.ContainerConfig) []string {
	command, args := config.GetCommand(), config.GetArgs()
	if len(command) == 0 {
		command = p.entrypoint
		if len(args) == 0 {
			args = p.args
		}
	}
	return slices.Concat(command, args)
}

// programExtensions are the extensions of programs for cmd.exe, in this order.
var programExtensions = []string{".com", ".exe", ".bat", ".cmd"}

// notRecognized is cmd.exe's error for a command without a program.
type notRecognized struct{ name string }

const notRecognizedCode int32 = 1

func (e notRecognized) Error() string {
	return fmt.Sprintf("'%s' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n", e.name)
}

// findProgram finds a program in the image's files, relative to the image's root, or else on the machine: as HostProcess
// containers do, or as a pod's own, which also starts a file without an extension.
//
// Since Server 2022 hcsshim runs each command by `cmd /c` (jobcontainers' CreateProcess), because only a process within
// the container sees the image's files. A file without an extension, such as agnhost, is therefore not a program: such a
// container starts, and ends with cmd.exe's error.
func findProgram(root, name string, inPod bool) (string, error) {
	isInRoot := strings.HasPrefix(name, root)
	inImage := name
	if !isInRoot {
		inImage = filepath.Join(root, withoutDrive(name))
	}
	extensions := programExtensions
	if slices.Contains(extensions, strings.ToLower(filepath.Ext(inImage))) {
		extensions = []string{""}
	} else if inPod {
		extensions = append([]string{""}, extensions...)
	}
	for _, extension := range extensions {
		if file, err := os.Stat(inImage + extension); err == nil && file.Mode().IsRegular() {
			return inImage + extension, nil
		}
	}
	program, err := exec.LookPath(name)
	if isInRoot || err != nil {
		return "", notRecognized{name}
	}
	return program, nil
}
