package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// A Windows by its numbers, e.g. 20348 and 2762.
type windowsBuild struct {
	Build, Revision int
}

func (b windowsBuild) String() string {
	return fmt.Sprintf("%d.%d", b.Build, b.Revision)
}

var imageBuild = regexp.MustCompile(`(?s)<BUILD>(\d+)</BUILD>.*<SPBUILD>(\d+)</SPBUILD>`)

// chosenImage looks for an image in install.wim, and which Windows it is.
func chosenImage(discs []disc, index string) (windowsBuild, error) {
	var found windowsBuild
	if _, err := strconv.ParseUint(index, 10, 16); err != nil {
		return found, fmt.Errorf("the number of the image is %q", index)
	}
	file, there := findOn(discs, `sources\install.wim`)
	if !there {
		return found, fmt.Errorf("the disc has no install.wim")
	}
	list, err := imageList(file)
	if err != nil {
		return found, err
	}
	_, image, there := strings.Cut(list, fmt.Sprintf(`<IMAGE INDEX="%s">`, index))
	if !there {
		return found, fmt.Errorf("install.wim has no image %s", index)
	}
	image, _, _ = strings.Cut(image, "</IMAGE>")
	numbers := imageBuild.FindStringSubmatch(image)
	if numbers == nil {
		return found, fmt.Errorf("image %s of install.wim has no build", index)
	}
	found.Build, _ = strconv.Atoi(numbers[1])
	found.Revision, _ = strconv.Atoi(numbers[2])
	return found, nil
}

// imageList reads a WIM file's list of images: XML in UTF-16, whose place the header says.
func imageList(file string) (string, error) {
	wim, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer wim.Close()
	header := make([]byte, 208)
	if _, err := wim.ReadAt(header, 0); err != nil || string(header[:5]) != "MSWIM" {
		return "", fmt.Errorf("install.wim is no WIM file")
	}
	// XML's entry: size in 7 bytes and flags, offset, size; little-endian.
	const entry = 72
	size := binary.LittleEndian.Uint64(header[entry:]) & (1<<56 - 1)
	offset := int64(binary.LittleEndian.Uint64(header[entry+8:]))
	if size > 16<<20 {
		return "", fmt.Errorf("install.wim has a list of %d bytes", size)
	}
	list := make([]byte, size)
	if _, err := wim.ReadAt(list, offset); err != nil {
		return "", err
	}
	units := make([]uint16, size/2)
	for place := range units {
		units[place] = binary.LittleEndian.Uint16(list[2*place:])
	}
	return string(utf16.Decode(units)), nil
}
