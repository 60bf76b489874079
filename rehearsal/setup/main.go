// Stands in for Windows Setup and the Windows it installs, in a machine where the making of an image is tried out: as
// the first process of a Linux that is nothing else. It answers to the same discs, restarts as often, says the same on
// the serial port, serves SSH and seals. What it stands for is told from the disk: empty, installed, set up, sealed.
//
// Like Setup it stops with a message on the screen, and waits for somebody, when it finds something wrong.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// How far an installation has come; kept on the disk.
const (
	phaseEmpty      = ""
	phaseSpecialize = "specialize"
	phaseFirstLogon = "first logon"
	phaseUpdated    = "updated"
	phasePrepared   = "prepared"
	phaseSealed     = "sealed"
)

func main() {
	if err := prepareKernel(); err != nil {
		stop(err)
	}
	state, err := readState()
	if err != nil {
		stop(err)
	}
	fmt.Printf("stand-in for Windows Setup, phase %q\n", state.Phase)
	if err := run(state); err != nil {
		stop(err)
	}
}

func run(state diskState) error {
	discs, err := mountDiscs()
	if err != nil {
		return err
	}
	if state.Phase != phaseEmpty && startedFrom() != "disk" {
		return fmt.Errorf("the disk has a Windows, but the machine started from the disc")
	}
	switch state.Phase {
	case phaseEmpty:
		return install(discs)
	case phaseSpecialize:
		return specialize(state)
	case phaseFirstLogon:
		return firstLogon(discs, state)
	case phasePrepared:
		if faultAsked(discs, "never-comes-back") {
			return fmt.Errorf("asked not to come back")
		}
		return serveSsh(discs, state)
	case phaseUpdated:
		return serveSsh(discs, state)
	case phaseSealed:
		serial(fmt.Sprintf("stand-in: a machine made from the image has started, Windows %s, update %q", state.Windows, state.Update))
		return powerOff()
	default:
		return fmt.Errorf("the disk has an unknown phase %q", state.Phase)
	}
}

// startedFrom is "disc" or "disk": what the boot loader told the kernel.
func startedFrom() string {
	words, _ := os.ReadFile("/proc/cmdline")
	for _, word := range strings.Fields(string(words)) {
		if from, found := strings.CutPrefix(word, "from="); found {
			return from
		}
	}
	return ""
}

// stop shows what is wrong and waits for somebody who never comes, as Setup does.
func stop(err error) {
	fmt.Printf("\n\n  Windows Setup (stand-in)\n\n  %v\n\n  [ OK ]\n", err)
	for {
		time.Sleep(time.Hour)
	}
}

func restart() error {
	unix.Sync()
	return unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
}

func powerOff() error {
	unix.Sync()
	return unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// serial writes a line to COM1.
func serial(line string) {
	fmt.Println(line)
	port, err := os.OpenFile("/dev/ttyS0", os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		stop(err)
	}
	defer port.Close()
	fmt.Fprintf(port, "%s\r\n", line)
}
