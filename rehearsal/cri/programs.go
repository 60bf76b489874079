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

// imageProgram is what an image starts when a pod does not say otherwise.
type imageProgram struct{ entrypoint, args []string }

// imagePrograms are the images whose programs lie on the disk, each in a folder of its name; as their Dockerfiles have it.
var imagePrograms = map[string]*imageProgram{
	"agnhost": {entrypoint: []string{"/agnhost"}, args: []string{"pause"}},
}

// programOf is what an image has as its program; nil where that is not here.
func programOf(reference string) *imageProgram { return imagePrograms[imageName(reference)] }

// imageName is the last part of an image's reference: no registry, no folders, no tag and no digest.
func imageName(reference string) string {
	reference, _, _ = strings.Cut(reference, "@")
	name := reference[strings.LastIndex(reference, "/")+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

// words is what a container runs: its own command, or the image's with the container's arguments or the image's.
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

// programExtensions are what makes a file a program to cmd.exe, in this order.
var programExtensions = []string{".com", ".exe", ".bat", ".cmd"}

// notRecognized is a command that cmd.exe knows no program for, in its words.
type notRecognized struct{ name string }

const notRecognizedCode int32 = 1

func (e notRecognized) Error() string {
	return fmt.Sprintf("'%s' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n", e.name)
}

// findProgram finds a program as HostProcess containers do: in the image's files, whatever folder of the image it is said
// to be in, else on the machine.
//
// Since Server 2022 hcsshim puts `cmd /c` before each command (jobcontainers' CreateProcess), for only a process that is
// in the container already sees the image's files. So one without an extension, as agnhost is, is no program: such a
// container starts, and ends with what cmd.exe says.
func findProgram(root, name string) (string, error) {
	isInRoot := strings.HasPrefix(name, root)
	inImage := name
	if !isInRoot {
		inImage = filepath.Join(root, withoutDrive(name))
	}
	extensions := programExtensions
	if slices.Contains(extensions, strings.ToLower(filepath.Ext(inImage))) {
		extensions = []string{""}
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
