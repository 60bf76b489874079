package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// linkFolders makes links to folders by cmd.exe, whose junctions the machine's model makes: Wine makes none, and what stands
// in for links in this program's library is a copy.
func linkFolders(targets map[string]string) error {
	commands := []string{}
	for link, target := range targets {
		commands = append(commands, fmt.Sprintf("cmd.exe /d /c mklink /J %s %s", link, filepath.Clean(target)))
	}
	if len(commands) == 0 {
		return nil
	}
	return powerShell(strings.Join(commands, "; "))
}

// removeLinks removes a folder without what the links in it point to.
func removeLinks(root string) error {
	if _, err := os.Stat(root); os.IsNotExist(err) {
		return nil
	}
	return powerShell("cmd.exe /d /c rd /s /q " + root)
}

func powerShell(command string) error {
	output, err := exec.Command("powershell.exe", "-Command", command+"; exit $LASTEXITCODE").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, output)
	}
	return nil
}
