package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// logLineBytes is the length beyond which a line is written in parts, as in containerd.
const logLineBytes = 16 << 10

// logPath returns the path at which kubelet expects a container's log, or "" if it wants no log.
func logPath(directory, file string) string {
	if directory == "" || file == "" {
		return ""
	}
	return filepath.Join(directory, file)
}

// logEntry returns a line in the CRI log format. The tag is F for a full line and P for a part of one.
func logEntry(now time.Time, stream, tag string, line []byte) []byte {
	return fmt.Appendf(nil, "%s %s %s %s\n", now.Format(time.RFC3339Nano), stream, tag, line)
}

// appendToLog opens the file each time, because kubelet moves it away to rotate it, and Windows does not move open files.
func appendToLog(path string, entries []byte) error {
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
	_, err = log.Write(entries)
	return errors.Join(err, log.Close())
}

type processLog struct {
	path   string
	stream string
	// file guards the log file, to which both streams of a process are written.
	file *sync.Mutex
	// rest is the beginning of an incomplete line.
	rest []byte
}

func processLogs(path string) (stdout, stderr *processLog) {
	file := &sync.Mutex{}
	return &processLog{path: path, stream: "stdout", file: file}, &processLog{path: path, stream: "stderr", file: file}
}

// Write writes complete lines, and lines that are too long in parts.
func (l *processLog) Write(output []byte) (int, error) {
	l.rest = append(l.rest, output...)
	entries := []byte{}
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end >= 0 && end <= logLineBytes {
			entries = append(entries, l.entry("F", bytes.TrimSuffix(l.rest[:end], []byte("\r")))...)
			l.rest = l.rest[end+1:]
		} else if len(l.rest) > logLineBytes {
			entries = append(entries, l.entry("P", l.rest[:logLineBytes])...)
			l.rest = l.rest[logLineBytes:]
		} else {
			return len(output), l.append(entries)
		}
	}
}

func (l *processLog) end() error {
	if len(l.rest) == 0 {
		return nil
	}
	return l.append(l.entry("F", l.rest))
}

func (l *processLog) entry(tag string, line []byte) []byte {
	return logEntry(time.Now(), l.stream, tag, line)
}

func (l *processLog) append(entries []byte) error {
	if len(entries) == 0 {
		return nil
	}
	l.file.Lock()
	defer l.file.Unlock()
	return appendToLog(l.path, entries)
}
