package main

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ContainerStats are zero: nothing runs.
func (s *server) ContainerStats(_ context.Context, in *runtimeapi.ContainerStatsRequest) (*runtimeapi.ContainerStatsResponse, error) {
	response := &runtimeapi.ContainerStatsResponse{}
	err := s.read(func(st *state) error {
		c, err := st.container(in.GetContainerId())
		if err == nil {
			response.Stats = c.stats(s.now().UnixNano())
		}
		return err
	})
	return response, err
}

// ListContainerStats are zero for each running container.
func (s *server) ListContainerStats(_ context.Context, in *runtimeapi.ListContainerStatsRequest) (*runtimeapi.ListContainerStatsResponse, error) {
	filter := &runtimeapi.ContainerFilter{
		Id: in.GetFilter().GetId(), PodSandboxId: in.GetFilter().GetPodSandboxId(),
		LabelSelector: in.GetFilter().GetLabelSelector(),
	}
	response := &runtimeapi.ListContainerStatsResponse{}
	err := s.read(func(st *state) error {
		for _, c := range st.Containers {
			if c.State == runtimeapi.ContainerState_CONTAINER_RUNNING && c.matches(filter) {
				response.Stats = append(response.Stats, c.stats(s.now().UnixNano()))
			}
		}
		return nil
	})
	return response, err
}

// ListPodSandboxStats are zero for each running pod.
func (s *server) ListPodSandboxStats(_ context.Context, in *runtimeapi.ListPodSandboxStatsRequest) (*runtimeapi.ListPodSandboxStatsResponse, error) {
	filter := &runtimeapi.PodSandboxFilter{
		Id: in.GetFilter().GetId(), LabelSelector: in.GetFilter().GetLabelSelector(),
	}
	response := &runtimeapi.ListPodSandboxStatsResponse{}
	err := s.read(func(st *state) error {
		now := s.now().UnixNano()
		for _, sb := range st.Sandboxes {
			if !sb.Ready || !sb.matches(filter) {
				continue
			}
			response.Stats = append(response.Stats, &runtimeapi.PodSandboxStats{
				Attributes: &runtimeapi.PodSandboxAttributes{
					Id: sb.ID, Metadata: sb.Config.Metadata,
					Labels: sb.Config.Labels, Annotations: sb.Config.Annotations,
				},
				Windows: &runtimeapi.WindowsPodSandboxStats{
					Cpu:    &runtimeapi.WindowsCpuUsage{Timestamp: now, UsageCoreNanoSeconds: zero()},
					Memory: &runtimeapi.WindowsMemoryUsage{Timestamp: now, WorkingSetBytes: zero()},
				},
			})
		}
		return nil
	})
	return response, err
}

func (c *container) stats(now int64) *runtimeapi.ContainerStats {
	return &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{
			Id: c.ID, Metadata: c.Config.Metadata, Labels: c.Config.Labels, Annotations: c.Config.Annotations,
		},
		Cpu:           &runtimeapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: zero()},
		Memory:        &runtimeapi.MemoryUsage{Timestamp: now, WorkingSetBytes: zero()},
		WritableLayer: &runtimeapi.FilesystemUsage{Timestamp: now, UsedBytes: zero()},
	}
}

func zero() *runtimeapi.UInt64Value { return &runtimeapi.UInt64Value{} }
