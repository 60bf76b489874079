package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// makeContainerRoot makes the folder that a HostProcess container finds its image and its volumes in: on real Windows
// C:\hpc, or C:\C\<container> before containerd 1.7.
//
// The image's files are hard links. A volume is a symbolic link; under Wine that is a copy (see
// toolchain/windows-goroot/os_wine_windows.go), made when the container is: what changes later is not seen in it. So only
// kubelet's own volumes are there; those of the host lie on the host, where a HostProcess container sees them anyway.
func makeContainerRoot(root, image string, mounts []*runtimeapi.Mount, volumes string) error {
	files, err := os.ReadDir(image)
	if err != nil {
		return fmt.Errorf("the image's programs are not on this machine: %w", err)
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Link(filepath.Join(image, file.Name()), filepath.Join(root, file.Name())); err != nil {
			return err
		}
	}
	for _, mount := range mounts {
		if !isBelow(mount.GetHostPath(), volumes) {
			continue
		}
		path := mount.GetContainerPath()
		link := filepath.Join(root, strings.TrimPrefix(path, filepath.VolumeName(path)))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(mount.GetHostPath(), link); err != nil {
			return err
		}
	}
	return nil
}

// isBelow says whether a path lies in a folder; with or without a drive, since there is only one.
func isBelow(path, folder string) bool {
	plain := func(path string) string {
		return strings.ToLower(filepath.ToSlash(strings.TrimPrefix(path, filepath.VolumeName(path))))
	}
	return strings.HasPrefix(plain(path), plain(folder)+"/")
}
