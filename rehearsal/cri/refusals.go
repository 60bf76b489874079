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

// ExecSync is refused.
func (s *server) ExecSync(context.Context, *runtimeapi.ExecSyncRequest) (*runtimeapi.ExecSyncResponse, error) {
	return nil, refuse("running a command in it")
}

// Exec is refused.
func (s *server) Exec(context.Context, *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	return nil, refuse("kubectl exec")
}

// Attach is refused.
func (s *server) Attach(context.Context, *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	return nil, refuse("kubectl attach")
}

// PortForward is refused.
func (s *server) PortForward(context.Context, *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	return nil, refuse("kubectl port-forward")
}

// CheckpointContainer is refused.
func (s *server) CheckpointContainer(context.Context, *runtimeapi.CheckpointContainerRequest) (*runtimeapi.CheckpointContainerResponse, error) {
	return nil, refuse("a checkpoint")
}
