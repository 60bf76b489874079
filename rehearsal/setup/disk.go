package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Where the state lies: between the partition table and the first partition, where no file system is.
const stateOffset = 512 * 1024
const stateSize = 256 * 1024

// What the disk of an installation remembers over restarts.
type diskState struct {
	Phase string
	// The Windows that is installed.
	Windows windowsBuild
	// SHA-256 of the update that was put into it; empty without one.
	Update string
	// The answer file, as Windows keeps it (with its passwords) until somebody removes it.
	AnswerFile string
}

func readState() (diskState, error) {
	var state diskState
	disk, err := os.Open(target)
	if err != nil {
		return state, err
	}
	defer disk.Close()
	block := make([]byte, stateSize)
	if _, err := disk.ReadAt(block, stateOffset); err != nil {
		return state, err
	}
	length := binary.LittleEndian.Uint32(block)
	if length == 0 {
		return state, nil
	}
	if int(length) > stateSize-4 {
		return state, fmt.Errorf("the disk holds something else")
	}
	return state, json.Unmarshal(block[4:4+length], &state)
}

// writeState replaces the state as a whole: nothing of the one before is left on the disk.
func writeState(state diskState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if len(text) > stateSize-4 {
		return fmt.Errorf("a state of %d bytes", len(text))
	}
	block := make([]byte, stateSize)
	binary.LittleEndian.PutUint32(block, uint32(len(text)))
	copy(block[4:], text)
	disk, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer disk.Close()
	if _, err := disk.WriteAt(block, stateOffset); err != nil {
		return err
	}
	return disk.Sync()
}

// installDisk copies the boot disk that the disc itself starts from; only what the boot loaders tell the kernel
// differs.
func installDisk(image string) error {
	content, err := os.ReadFile(image)
	if err != nil {
		return err
	}
	from, to := []byte("from=disc"), []byte("from=disk")
	// Two boot loaders tell it: that of a BIOS, and that of UEFI.
	if bytes.Count(content, from) != 2 {
		return fmt.Errorf("%s is not the stand-in's boot disk", image)
	}
	content = bytes.ReplaceAll(content, from, to)
	disk, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer disk.Close()
	var size uint64
	if size, err = diskSize(disk); err != nil {
		return err
	}
	if size < 32<<30 {
		return fmt.Errorf("a disk of %d bytes is too small for Windows", size)
	}
	if _, err := io.Copy(disk, bytes.NewReader(content)); err != nil {
		return err
	}
	return disk.Sync()
}

func diskSize(disk *os.File) (uint64, error) {
	end, err := unix.Seek(int(disk.Fd()), 0, unix.SEEK_END)
	if err != nil {
		return 0, err
	}
	_, err = unix.Seek(int(disk.Fd()), 0, unix.SEEK_SET)
	return uint64(end), err
}
