package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A CD by the letter that Windows gives it.
type disc struct {
	letter string
	folder string
}

// mountDiscs mounts all CDs: the disk's Windows is C:, so they begin at D:.
func mountDiscs() ([]disc, error) {
	var discs []disc
	for place, letter := range []string{"D", "E", "F", "G"} {
		device := fmt.Sprintf("/dev/sr%d", place)
		if place < 2 {
			if err := waitFor(device); err != nil {
				return nil, err
			}
		}
		if _, err := os.Stat(device); err != nil {
			break
		}
		folder := "/discs/" + letter
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if err := unix.Mount(device, folder, "iso9660", unix.MS_RDONLY, "utf8"); err != nil {
			return nil, fmt.Errorf("mounting %s: %w", device, err)
		}
		discs = append(discs, disc{letter, folder})
	}
	return discs, nil
}

// find returns a file or folder on a disc, by its path as Windows writes it: whatever the case of its letters.
func (one disc) find(path string) (string, bool) {
	found := one.folder
	for part := range strings.SplitSeq(strings.Trim(path, `\`), `\`) {
		entries, err := os.ReadDir(found)
		if err != nil {
			return "", false
		}
		next := ""
		for _, entry := range entries {
			if strings.EqualFold(entry.Name(), part) {
				next = filepath.Join(found, entry.Name())
			}
		}
		if next == "" {
			return "", false
		}
		found = next
	}
	return found, true
}

// findOn returns the first disc that has the path, in the order of their letters.
func findOn(discs []disc, path string) (string, bool) {
	for _, one := range discs {
		if found, there := one.find(path); there {
			return found, true
		}
	}
	return "", false
}

// resolve finds a full path such as D:\drivers\NetKVM.
func resolve(discs []disc, path string) (string, bool) {
	for _, one := range discs {
		if below, isOn := strings.CutPrefix(path, one.letter+`:\`); isOn {
			return one.find(below)
		}
	}
	return "", false
}

// faultAsked says whether the test wants this to go wrong: a file `stand-in\<name>` on Windows' own disc.
func faultAsked(discs []disc, name string) bool {
	_, asked := findOn(discs, `stand-in\`+name)
	return asked
}
