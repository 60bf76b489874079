package main

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// logLineBytes is the length at which a line is written in parts, as containerd has it.
const logLineBytes = 16 << 10

// logPath is where kubelet expects a container's log; empty when it asks for none.
func logPath(directory, file string) string {
	if directory == "" || file == "" {
		return ""
	}
	return filepath.Join(directory, file)
}

// writeLogLine appends a line to a container's log.
func writeLogLine(path string, now time.Time, line string) error {
	return appendToLog(path, logEntry(now, "stdout", "F", []byte(line)))
}

// logEntry is a line in the CRI log format, as kubectl logs reads it; its tag is F for a full line, P for a part of one.
func logEntry(now time.Time, stream, tag string, line []byte) []byte {
	entry := now.AppendFormat(nil, time.RFC3339Nano)
	entry = append(entry, ' ')
	entry = append(entry, stream...)
	entry = append(entry, ' ')
	entry = append(entry, tag...)
	entry = append(entry, ' ')
	entry = append(entry, line...)
	return append(entry, '\n')
}

// appendToLog opens the file each time: kubelet moves it away to rotate it, which Windows lets nobody do with an open one.
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
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	return err
}

// containerLog takes what a process writes on one of its streams.
type containerLog struct {
	// file is written by both streams of a process.
	file   *sync.Mutex
	path   string
	stream string
	now    func() time.Time
	// rest is the beginning of a line that has no end yet.
	rest []byte
}

// Write writes whole lines, and what is too long for one.
func (l *containerLog) Write(output []byte) (int, error) {
	l.rest = append(l.rest, output...)
	entries := []byte{}
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end >= 0 && end <= logLineBytes {
			entries = append(entries, logEntry(l.now(), l.stream, "F", bytes.TrimSuffix(l.rest[:end], []byte("\r")))...)
			l.rest = l.rest[end+1:]
		} else if len(l.rest) > logLineBytes {
			entries = append(entries, logEntry(l.now(), l.stream, "P", l.rest[:logLineBytes])...)
			l.rest = l.rest[logLineBytes:]
		} else {
			break
		}
	}
	return len(output), l.append(entries)
}

// end writes a last line that has no end.
func (l *containerLog) end() error {
	if len(l.rest) == 0 {
		return nil
	}
	last := logEntry(l.now(), l.stream, "F", l.rest)
	l.rest = nil
	return l.append(last)
}

func (l *containerLog) append(entries []byte) error {
	if len(entries) == 0 {
		return nil
	}
	l.file.Lock()
	defer l.file.Unlock()
	return appendToLog(l.path, entries)
}
