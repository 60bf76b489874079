package main

import (
	"fmt"
	"os"
	"strings"
)

// install does what Setup does from its disc: answers, drivers, the image, the disk.
//
// https://learn.microsoft.com/windows-hardware/manufacture/desktop/windows-setup-automation-overview gives the order in
// which answer files are looked for; of those places a machine like this has only read-only removable media.
func install(discs []disc) error {
	if faultAsked(discs, "never-copies") {
		return fmt.Errorf("asked to stop before copying")
	}
	file, there := findOn(discs, "Autounattend.xml")
	if !there {
		return fmt.Errorf("no Autounattend.xml in the root of a CD: Setup asks for language and keyboard")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	answers, err := parseAnswers(string(text))
	if err != nil {
		return err
	}
	windows, err := checkSetup(discs, answers)
	if err != nil {
		return err
	}
	boot, there := findOn(discs, `sources\boot.img`)
	if !there {
		return fmt.Errorf("the disc has no boot disk to install")
	}
	if err := installDisk(boot); err != nil {
		return err
	}
	if err := writeState(diskState{Phase: phaseSpecialize, Windows: windows, AnswerFile: string(text)}); err != nil {
		return err
	}
	if faultAsked(discs, "powers-off-early") {
		return powerOff()
	}
	return restart()
}

// checkSetup returns the Windows that the answers choose.
func checkSetup(discs []disc, answers node) (windowsBuild, error) {
	var none windowsBuild
	const pass = "windowsPE"
	for _, each := range []struct{ component, path, wanted string }{
		{"Setup", "UserData/AcceptEula", "true"},
		{"Setup", "DiskConfiguration/Disk/DiskID", "0"},
		{"Setup", "DiskConfiguration/Disk/WillWipeDisk", "true"},
		{"Setup", "ImageInstall/OSImage/InstallTo/DiskID", "0"},
		{"Setup", "ImageInstall/OSImage/InstallFrom/MetaData/Key", "/IMAGE/INDEX"},
	} {
		if err := answers.want(pass, each.component, each.path, each.wanted); err != nil {
			return none, err
		}
	}
	if err := checkPartitions(answers.all(pass, "Setup", partitionTypes)); err != nil {
		return none, err
	}
	languages := []string{"SetupUILanguage/UILanguage", "UILanguage", "InputLocale", "SystemLocale", "UserLocale"}
	for _, path := range languages {
		if _, err := answers.one(pass, "International-Core-WinPE", path); err != nil {
			return none, err
		}
	}
	paths := answers.all(pass, "PnpCustomizationsWinPE", "DriverPaths/PathAndCredentials/Path")
	if err := checkDrivers(discs, paths); err != nil {
		return none, err
	}
	index, err := answers.one(pass, "Setup", "ImageInstall/OSImage/InstallFrom/MetaData/Value")
	if err != nil {
		return none, err
	}
	return chosenImage(discs, index)
}

const partitionTypes = "DiskConfiguration/Disk/CreatePartitions/CreatePartition/Type"

// checkPartitions wants a disk that the firmware can start from: with UEFI it needs an EFI partition, and Setup refuses
// one with a BIOS.
func checkPartitions(types []node) error {
	_, err := os.Stat("/sys/firmware/efi")
	uefi, efi := err == nil, false
	for _, each := range types {
		efi = efi || each.Text == "EFI"
	}
	if uefi != efi {
		return fmt.Errorf("UEFI is %t, and an EFI partition %t: Windows can't be installed to this disk", uefi, efi)
	}
	return nil
}

// checkDrivers wants each driver whole on one of the letters it is named with; Setup takes all that exist.
func checkDrivers(discs []disc, paths []node) error {
	whole := map[string]bool{}
	for _, path := range paths {
		name := path.Text[strings.LastIndex(path.Text, `\`)+1:]
		whole[name] = whole[name] || isDriver(discs, path.Text)
	}
	for _, name := range []string{"viostor", "NetKVM"} {
		if _, named := whole[name]; !named {
			return fmt.Errorf("no driver %s is named: Setup sees neither disk nor network", name)
		}
	}
	for name, is := range whole {
		if !is {
			return fmt.Errorf("the driver %s is on no disc, or not whole", name)
		}
	}
	return nil
}

func isDriver(discs []disc, path string) bool {
	folder, there := resolve(discs, path)
	if !there {
		return false
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	endings := map[string]bool{}
	for _, entry := range entries {
		name := strings.ToLower(entry.Name())
		endings[name[strings.LastIndex(name, ".")+1:]] = true
	}
	return endings["inf"] && endings["sys"] && endings["cat"]
}
