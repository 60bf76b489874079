package main

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// refuse answers what needs a process where there is none.
func refuse(what string) error {
	return status.Errorf(codes.Unimplemented, "%s; %s needs a real Windows node", rehearsed, what)
}

// refuseAnywhere answers what is not done here for containers that run either.
func refuseAnywhere(what string) error {
	return status.Errorf(codes.Unimplemented, "rehearsed: %s needs a real Windows node", what)
}

// Attach is refused.
func (s *server) Attach(context.Context, *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	return nil, refuseAnywhere("kubectl attach")
}

// PortForward is refused.
func (s *server) PortForward(context.Context, *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	return nil, refuseAnywhere("kubectl port-forward")
}

// CheckpointContainer is refused.
func (s *server) CheckpointContainer(context.Context, *runtimeapi.CheckpointContainerRequest) (*runtimeapi.CheckpointContainerResponse, error) {
	return nil, refuseAnywhere("a checkpoint")
}
