package main

import (
	"context"
	"fmt"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// awaitContainerd asks containerd for its version until it answers.
func (s *server) awaitContainerd(limit, pause time.Duration) (*runtimeapi.VersionResponse, error) {
	end := time.Now().Add(limit)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		version, err := s.containerd.Version(ctx, &runtimeapi.VersionRequest{})
		cancel()
		if err == nil {
			return version, nil
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("containerd did not answer within %s; last seen: %w", limit, err)
		}
		time.Sleep(pause)
	}
}
