package main

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf16"
)

// An element of an answer file.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

func parseAnswers(text string) (node, error) {
	var root node
	if err := xml.Unmarshal([]byte(text), &root); err != nil {
		return root, fmt.Errorf("the answer file is no XML: %w", err)
	}
	return root, nil
}

func (n node) attribute(name string) string {
	for _, each := range n.Attrs {
		if each.Name.Local == name {
			return each.Value
		}
	}
	return ""
}

// all returns every element at a path below a component of a pass, e.g. "UserData/AcceptEula".
func (n node) all(pass, component, path string) []node {
	var found []node
	for _, settings := range n.Children {
		if settings.XMLName.Local != "settings" || settings.attribute("pass") != pass {
			continue
		}
		for _, each := range settings.Children {
			if each.attribute("name") == "Microsoft-Windows-"+component {
				found = append(found, each.below(strings.Split(path, "/"))...)
			}
		}
	}
	return found
}

func (n node) below(path []string) []node {
	if len(path) == 0 {
		return []node{n}
	}
	var found []node
	for _, child := range n.Children {
		if child.XMLName.Local == path[0] {
			found = append(found, child.below(path[1:])...)
		}
	}
	return found
}

// one is the value of the one element there; anything else is a question that Setup would ask.
func (n node) one(pass, component, path string) (string, error) {
	found := n.all(pass, component, path)
	if len(found) != 1 {
		return "", fmt.Errorf("the answer file answers %s of %s in %s %d times", path, component, pass, len(found))
	}
	return strings.TrimSpace(found[0].Text), nil
}

// want compares one value.
func (n node) want(pass, component, path, wanted string) error {
	value, err := n.one(pass, component, path)
	if err == nil && value != wanted {
		err = fmt.Errorf("%s of %s is %q, not %q", path, component, value, wanted)
	}
	return err
}

// password takes a password out of its wrapping: base64 of UTF-16, the element's name behind it.
func (n node) password(path, name string) (string, error) {
	if err := n.want("oobeSystem", "Shell-Setup", path+"/PlainText", "false"); err != nil {
		return "", err
	}
	value, err := n.one("oobeSystem", "Shell-Setup", path+"/Value")
	if err != nil {
		return "", err
	}
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return "", fmt.Errorf("%s is not base64", path)
	}
	units := make([]uint16, len(raw)/2)
	for place := range units {
		units[place] = uint16(raw[2*place]) | uint16(raw[2*place+1])<<8
	}
	secret, wrapped := strings.CutSuffix(string(utf16.Decode(units)), name)
	if !wrapped || secret == "" {
		return "", fmt.Errorf("%s is not wrapped as a password", path)
	}
	return secret, nil
}
