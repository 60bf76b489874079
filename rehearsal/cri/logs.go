package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// logPath is where kubelet expects a container's log; empty when it asks for none.
func logPath(directory, file string) string {
	if directory == "" || file == "" {
		return ""
	}
	return filepath.Join(directory, file)
}

// writeLogLine appends a line in the CRI log format, as kubectl logs reads it.
func writeLogLine(path string, now time.Time, line string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(log, "%s stdout F %s\n", now.Format(time.RFC3339Nano), line)
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	return err
}
