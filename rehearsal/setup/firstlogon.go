package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// specialize is the first start from the disk: the installed Windows becomes this machine, and restarts.
func specialize(state diskState) error {
	answers, err := parseAnswers(state.AnswerFile)
	if err != nil {
		return err
	}
	if err := answers.want("specialize", "Shell-Setup", "ComputerName", "*"); err != nil {
		return err
	}
	state.Phase = phaseFirstLogon
	if err := writeState(state); err != nil {
		return err
	}
	return restart()
}

const (
	firstScript = `kindows\Initialize-Image.ps1`
	buildScript = `kindows\Confirm-ImageBuild.ps1`
	lastScript  = `kindows\Complete-Image.ps1`
	updateFile  = `media\update.msu`
)

// What the scripts say on the serial port, and what they take from beside them.
var (
	spoken = regexp.MustCompile(`Write-SerialLine -Message '([^']+)'`)
	taken  = regexp.MustCompile(`Join-Path \$PSScriptRoot '([^']+)'`)
)

// firstLogon is the second start from the disk: the first logon runs the command of the answer file, whose script
// prepares the image and starts the SSH server.
func firstLogon(discs []disc, state diskState) error {
	answers, err := parseAnswers(state.AnswerFile)
	if err != nil {
		return err
	}
	if err := checkLogon(answers); err != nil {
		return err
	}
	script, there := findOn(discs, firstScript)
	if !there {
		return fmt.Errorf("%s is on no disc: the first logon starts nothing", firstScript)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	if err := checkTaken(discs, string(text)); err != nil {
		serial("kindows: failed: " + err.Error())
		select {}
	}
	messages := spoken.FindAllStringSubmatch(string(text), -1)
	ending := len(messages) - 3
	if ending < 1 {
		return fmt.Errorf("the script says %d times where it is", len(messages))
	}
	for _, message := range messages[:ending] {
		serial("kindows: " + message[1])
		if faultAsked(discs, "script-fails") {
			serial("kindows: failed: asked to")
			select {}
		}
	}
	// The script ends in one of two ways: it installs an update and restarts, or it starts the SSH server.
	if update, there := findOn(discs, `kindows\`+updateFile); there {
		serial("kindows: " + messages[ending][1])
		if err := installUpdate(update, &state, faultAsked(discs, "update-fails")); err != nil {
			serial("kindows: failed: " + err.Error())
			select {}
		}
		serial("kindows: " + messages[ending+1][1])
		return restart()
	}
	// Should the machine be switched off and on, the logon is not there again: it goes on from here.
	state.Phase = phasePrepared
	if err := writeState(state); err != nil {
		return err
	}
	serial("kindows: " + messages[ending+2][1])
	return serveSsh(discs, state)
}

// checkLogon wants a logon without anybody, with the password that the account gets, and a command for it.
func checkLogon(answers node) error {
	const pass, component = "oobeSystem", "Shell-Setup"
	given, err := answers.password("UserAccounts/AdministratorPassword", "AdministratorPassword")
	if err != nil {
		return err
	}
	used, err := answers.password("AutoLogon/Password", "Password")
	if err != nil {
		return err
	}
	if given != used {
		return fmt.Errorf("the password of the logon is another one than the account's")
	}
	for path, wanted := range map[string]string{
		"AutoLogon/Enabled": "true", "AutoLogon/Username": "Administrator", "OOBE/HideEULAPage": "true",
	} {
		if err := answers.want(pass, component, path, wanted); err != nil {
			return err
		}
	}
	command, err := answers.one(pass, component, "FirstLogonCommands/SynchronousCommand/CommandLine")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(command, "powershell.exe ") || !strings.Contains(command, firstScript) {
		return fmt.Errorf("the first logon runs something else: %s", command)
	}
	return nil
}

// checkTaken wants everything on the disc that the script takes from beside it; OpenSSH and an update may be missing.
func checkTaken(discs []disc, script string) error {
	for _, match := range taken.FindAllStringSubmatch(script, -1) {
		if strings.HasSuffix(match[1], ".zip") || match[1] == updateFile {
			continue
		}
		if _, there := findOn(discs, `kindows\`+match[1]); !there {
			return fmt.Errorf("%s is not on the disc", match[1])
		}
	}
	return nil
}
