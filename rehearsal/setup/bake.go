package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const bakeScript = `kindows\Invoke-Bake.ps1`

// bake does what Invoke-Bake.ps1 does, but for the steps themselves: it wants the script of each, and each program whole,
// and asks for the registry of each container image.
func (s *server) bake(command string, way *wayOut) error {
	if _, there := findOn(s.discs, bakeScript); !there || !strings.Contains(command, "'Invoke-Bake.ps1'") {
		return fmt.Errorf("%s is not asked for, or on no disc", bakeScript)
	}
	if faultAsked(s.discs, "bakes-slowly") || faultAsked(s.discs, "never-comes-back") {
		time.Sleep(10 * time.Second)
	}
	file, there := findOn(s.discs, `kindows\bake.json`)
	if !there {
		return fmt.Errorf("bake.json is on no disc")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var plan struct {
		Steps []struct {
			Step       string
			Parameters struct{ Images, Proxy, Scripts string }
		}
	}
	if err := json.Unmarshal(text, &plan); err != nil {
		return fmt.Errorf("bake.json: %w", err)
	}
	if programs, there := findOn(s.discs, `kindows\programs`); there {
		if err := checkPrograms(programs); err != nil {
			return err
		}
	}
	for _, each := range plan.Steps {
		if _, there := findOn(s.discs, `kindows\`+each.Step+".ps1"); !there {
			return fmt.Errorf("%s.ps1 is on no disc", each.Step)
		}
		serial("kindows: baking: " + each.Step)
		for script := range strings.SplitSeq(each.Parameters.Scripts, ";") {
			if script == "" {
				continue
			}
			// As Invoke-OwnScript takes them: name=sha256=runs.
			name, rest, _ := strings.Cut(script, "=")
			sum, _, _ := strings.Cut(rest, "=")
			file, there := findOn(s.discs, `kindows\programs\`+sum)
			if !there {
				return fmt.Errorf("%s is on no disc", name)
			}
			if err := checkSum(file, sum); err != nil {
				return err
			}
			serial("kindows: running " + name)
		}
		if each.Step == "Add-ContainerImage" {
			for image := range strings.SplitSeq(each.Parameters.Images, ",") {
				serial("kindows: " + way.try(each.Parameters.Proxy, image))
			}
		}
	}
	return nil
}

// checkPrograms wants each file to have the checksum that its folder is named by.
func checkPrograms(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("the folder of the programs is empty")
	}
	for _, file := range files {
		if err := checkSum(file, filepath.Base(filepath.Dir(file))); err != nil {
			return err
		}
	}
	return nil
}

func checkSum(file, wanted string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != wanted {
		return fmt.Errorf("%s has another checksum", file)
	}
	return nil
}
