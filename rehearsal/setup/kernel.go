package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const target = "/dev/vda"

// prepareKernel mounts what a first process has to, and loads the drivers that its file `order` names.
func prepareKernel() error {
	for kind, folder := range map[string]string{"devtmpfs": "/dev", "proc": "/proc", "sysfs": "/sys"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(kind, folder, kind, 0, ""); err != nil && err != unix.EBUSY {
			return fmt.Errorf("mounting %s: %w", folder, err)
		}
	}
	order, err := os.ReadFile("/modules/order")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(order)) {
		if err := loadModule(filepath.Join("/modules", name+".ko")); err != nil {
			return fmt.Errorf("loading %s: %w", name, err)
		}
	}
	return waitFor(target)
}

func loadModule(file string) error {
	module, err := os.Open(file)
	if err != nil {
		return err
	}
	defer module.Close()
	return unix.FinitModule(int(module.Fd()), "", 0)
}

func waitFor(file string) error {
	for range 200 {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("waited 20 s for %s", file)
}

// setAddress gives the network card the address that QEMU's own network forwards to.
func setAddress(card string, address, mask [4]byte) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq(card)
	if err != nil {
		return err
	}
	for _, each := range []struct {
		number uint
		value  [4]byte
	}{{unix.SIOCSIFADDR, address}, {unix.SIOCSIFNETMASK, mask}} {
		if err := request.SetInet4Addr(each.value[:]); err != nil {
			return err
		}
		if err := unix.IoctlIfreq(socket, each.number, request); err != nil {
			return err
		}
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
