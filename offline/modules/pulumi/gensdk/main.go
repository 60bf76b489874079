// Command gensdk writes the Node.js SDK of a Pulumi package schema: gensdk SCHEMA.json FOLDER.
//
// It does what `pulumi package gen-sdk` does through the Node.js language host, which is not to be had as a Go module.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// noReferences answers no package reference: a bridged provider's schema stands alone.
type noReferences struct{ schema.ReferenceLoader }

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gensdk SCHEMA.json FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gensdk:", err)
		os.Exit(1)
	}
}

func generate(schemaFile, folder string) error {
	content, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(content, &spec); err != nil {
		return fmt.Errorf("%s: %w", schemaFile, err)
	}
	pkg, diagnostics, err := schema.BindSpec(
		spec, noReferences{}, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return err
	}
	if diagnostics.HasErrors() {
		return diagnostics
	}
	files, err := nodejs.GeneratePackage("make sdk", pkg, nil, nil, true, noReferences{})
	if err != nil {
		return err
	}
	// It would compile the SDK with a second TypeScript when it is installed; the project compiles it with its own.
	delete(files, "scripts/postinstall.js")
	if files["package.json"], err = trimManifest(files["package.json"]); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// trimManifest drops the install script and the compiler from package.json. Only the engine's SDK stays a dependency.
func trimManifest(content []byte) ([]byte, error) {
	var manifest map[string]any
	if err := json.Unmarshal(content, &manifest); err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	delete(manifest, "scripts")
	dependencies, ok := manifest["dependencies"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("package.json: no dependencies")
	}
	delete(dependencies, "typescript")
	delete(dependencies, "@types/node")
	trimmed, err := json.MarshalIndent(manifest, "", "  ")
	return append(trimmed, '\n'), err
}
