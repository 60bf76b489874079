//go:build unix

package main

import "os"

// linkFolders makes links to folders. This implementation is for tests.
func linkFolders(targets map[string]string) error {
	for link, target := range targets {
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	return nil
}

func removeLinks(root string) error { return os.RemoveAll(root) }
