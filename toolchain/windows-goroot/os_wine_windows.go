// Package os, for Wine: added to Go's own; see toolchain/windows-goroot-overlay.ts.
//
// Wine makes no symbolic links. Here a link is a copy of what it points to, and a record in C:\wlnk that holds its
// target, under the name of the link. That is enough for what kubelet does with links: it makes one beside the old
// one, renames it over that, and reads it back (the atomic writer of ConfigMap and Secret volumes).

package os

import "syscall"

const linkRecords = `C:\wlnk`

// linkRecord is the file that keeps the target of the emulated link name.
func linkRecord(name string) string {
	full, err := syscall.FullPath(name)
	if err != nil {
		full = name
	}
	record := []byte(full)
	for i, c := range record {
		switch {
		case c == '\\' || c == '/' || c == ':':
			record[i] = '_'
		case 'A' <= c && c <= 'Z':
			record[i] = c + 'a' - 'A'
		}
	}
	return linkRecords + `\` + string(record)
}

func writeLinkRecord(name, target string) error {
	if err := MkdirAll(linkRecords, 0o755); err != nil {
		return err
	}
	return WriteFile(linkRecord(name), []byte(target), 0o600)
}

func linkTarget(name string) (string, bool) {
	target, err := ReadFile(linkRecord(name))
	return string(target), err == nil
}

// copyTree copies a file or a folder; what does not exist is a link into nothing, which is allowed.
func copyTree(from, to string) error {
	info, err := Stat(from)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		data, err := ReadFile(from)
		if err != nil {
			return err
		}
		return WriteFile(to, data, 0o600)
	}
	if err := MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := ReadDir(from)
	for _, entry := range entries {
		if err := copyTree(from+`\`+entry.Name(), to+`\`+entry.Name()); err != nil {
			return err
		}
	}
	return err
}

func rename(oldname, newname string) error {
	target, ok := linkTarget(oldname)
	if !ok {
		return goRename(oldname, newname)
	}
	if err := Remove(newname); err != nil && !IsNotExist(err) {
		return err
	}
	if err := goRename(oldname, newname); err != nil {
		return err
	}
	if err := goRemove(linkRecord(oldname)); err != nil {
		return err
	}
	return writeLinkRecord(newname, target)
}

// Remove removes the named file or (empty) directory.
// If there is an error, it will be of type [*PathError].
func Remove(name string) error {
	if _, ok := linkTarget(name); !ok {
		return goRemove(name)
	}
	if err := goRemove(linkRecord(name)); err != nil {
		return err
	}
	return RemoveAll(name)
}

// Symlink creates newname as a symbolic link to oldname.
// If there is an error, it will be of type *LinkError.
func Symlink(oldname, newname string) error {
	from := oldname
	if !isAbsolute(oldname) {
		full, err := syscall.FullPath(newname)
		if err != nil {
			return err
		}
		folder := len(full)
		for folder > 0 && full[folder-1] != '\\' {
			folder--
		}
		from = full[:folder] + oldname
	}
	if err := copyTree(from, newname); err != nil {
		return err
	}
	return writeLinkRecord(newname, oldname)
}

func isAbsolute(name string) bool {
	return len(name) > 1 && name[1] == ':' || name != "" && (name[0] == '/' || name[0] == '\\')
}

func readlink(name string) (string, error) {
	if target, ok := linkTarget(name); ok {
		return target, nil
	}
	return goReadlink(name)
}

type linkInfo struct{ FileInfo }

func (linkInfo) Mode() FileMode { return ModeSymlink | 0o777 }
func (linkInfo) IsDir() bool    { return false }

func lstatNolog(name string) (FileInfo, error) {
	info, err := goLstatNolog(name)
	if err != nil {
		return info, err
	}
	if _, ok := linkTarget(name); ok {
		return linkInfo{info}, nil
	}
	return info, nil
}
