package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// What an update for the stand-in says: which Windows it makes.
var updatesTo = regexp.MustCompile(`stand-in update to (\d+)\.(\d+)`)

// installUpdate does to the state on the disk what wusa.exe does to Windows: it is in force after the next restart.
//
// rolledBack: Windows finds at that restart that it can't, and takes it back.
func installUpdate(file string, state *diskState, rolledBack bool) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(content), "MSCF") {
		return fmt.Errorf("wusa.exe ended with exit code 13: %s is no cabinet", file)
	}
	numbers := updatesTo.FindSubmatch(content)
	if numbers == nil {
		return fmt.Errorf("wusa.exe ended with exit code 13: %s is no update for the stand-in", file)
	}
	if build, _ := strconv.Atoi(string(numbers[1])); build != state.Windows.Build {
		return fmt.Errorf("wusa.exe ended with exit code -2145124329: the update is for another Windows")
	}
	if !rolledBack {
		state.Windows.Revision, _ = strconv.Atoi(string(numbers[2]))
	}
	sum := sha256.Sum256(content)
	state.Update = hex.EncodeToString(sum[:])
	state.Phase = phaseUpdated
	return writeState(*state)
}

// What the host asks of Windows.
var asksBuild = regexp.MustCompile(`'Confirm-ImageBuild\.ps1'\) -MinimumBuild (\d+) -MinimumRevision (\d+);`)

// confirmBuild does what Confirm-ImageBuild.ps1 does; returns its result, or what is wrong and its exit code.
func (s *server) confirmBuild(command string) (string, uint32, error) {
	asked := asksBuild.FindStringSubmatch(command)
	script, there := findOn(s.discs, buildScript)
	if asked == nil || !there {
		return "", 10, fmt.Errorf("%s is not asked for, or on no disc", buildScript)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return "", 10, err
	}
	if !strings.Contains(string(text), `Write-SerialLine -Message "build $found"`) {
		return "", 10, fmt.Errorf("the script says no build")
	}
	var minimum windowsBuild
	minimum.Build, _ = strconv.Atoi(asked[1])
	minimum.Revision, _ = strconv.Atoi(asked[2])
	found := s.state.Windows
	if found.Build < minimum.Build || found.Build == minimum.Build && found.Revision < minimum.Revision {
		return "", 20, fmt.Errorf("the image has Windows %s, and a node needs %s or newer.", found, minimum)
	}
	serial("kindows: build " + found.String())
	return fmt.Sprintf(
		`{"step":"Confirm-ImageBuild","changed":false,"rebootRequired":false,"seconds":0,"facts":{"build":%d,"revision":%d}}`,
		found.Build, found.Revision), 0, nil
}
