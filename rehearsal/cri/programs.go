package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageProgram is what an image starts when a pod does not say otherwise.
type imageProgram struct {
	entrypoint []string
	args       []string
}

// imagePrograms are the images whose programs lie on the disk, each in a folder of its name; as their Dockerfiles have it.
var imagePrograms = map[string]imageProgram{
	"agnhost": {entrypoint: []string{"agnhost"}, args: []string{"pause"}},
}

// imageName is the last part of an image's reference: no registry, no folders, no tag and no digest.
func imageName(reference string) string {
	reference, _, _ = strings.Cut(reference, "@")
	name := reference[strings.LastIndex(reference, "/")+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

// hasProcess says whether a container is one that really runs: of a HostProcess pod, and of an image with a program here.
func hasProcess(sandbox *runtimeapi.PodSandboxConfig, reference string) bool {
	_, known := imagePrograms[imageName(reference)]
	return known && sandbox.GetWindows().GetSecurityContext().GetHostProcess()
}

// words is what a container runs: its own command, or the image's with the container's arguments or the image's.
func (p imageProgram) words(config *runtimeapi.ContainerConfig) []string {
	command, args := config.GetCommand(), config.GetArgs()
	if len(command) == 0 {
		command = p.entrypoint
		if len(args) == 0 {
			args = p.args
		}
	}
	return append(append([]string{}, command...), args...)
}

// findProgram finds a program as HostProcess containers do: in the image's files, whatever folder of the image it is said
// to be in, else on the machine.
func findProgram(root, name string) (string, error) {
	if !filepath.IsAbs(name) || !strings.HasPrefix(name, root) {
		inImage := filepath.Join(root, strings.TrimPrefix(name, filepath.VolumeName(name)))
		if program, err := exec.LookPath(inImage); err == nil {
			return program, nil
		}
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("there is no program %q in the image or on this machine: %w", name, err)
	}
	return program, nil
}
