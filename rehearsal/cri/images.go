package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageSize is the size of every image in bytes: nothing is pulled, but kubelet refuses an image without a size.
const imageSize = 1

// PullImage notes that an image was asked for; nothing is downloaded.
func (s *server) PullImage(_ context.Context, in *runtimeapi.PullImageRequest) (*runtimeapi.PullImageResponse, error) {
	reference := in.GetImage().GetImage()
	if reference == "" || strings.ContainsAny(reference, " \t\n") {
		return nil, status.Errorf(codes.InvalidArgument, "%q is not an image reference", reference)
	}
	sum := sha256.Sum256([]byte(reference))
	id := "sha256:" + hex.EncodeToString(sum[:])
	err := s.change(func(st *state) error {
		st.Images[reference] = &image{ID: id, Reference: reference, PulledAt: s.now().UnixNano()}
		return nil
	})
	return &runtimeapi.PullImageResponse{ImageRef: id}, err
}

// ListImages lists the images that were "pulled".
func (s *server) ListImages(_ context.Context, in *runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	wanted := in.GetFilter().GetImage().GetImage()
	response := &runtimeapi.ListImagesResponse{}
	err := s.read(func(st *state) error {
		for _, img := range st.Images {
			if wanted == "" || img == st.findImage(wanted) {
				response.Images = append(response.Images, img.describe())
			}
		}
		return nil
	})
	sort.Slice(response.Images, func(i, j int) bool { return response.Images[i].Id < response.Images[j].Id })
	return response, err
}

// ImageStatus describes an image; one that was not "pulled" has an empty answer, as CRI wants it.
func (s *server) ImageStatus(_ context.Context, in *runtimeapi.ImageStatusRequest) (*runtimeapi.ImageStatusResponse, error) {
	response := &runtimeapi.ImageStatusResponse{}
	err := s.read(func(st *state) error {
		if img := st.findImage(in.GetImage().GetImage()); img != nil {
			response.Image = img.describe()
		}
		return nil
	})
	return response, err
}

// RemoveImage forgets an image; one that is not there is removed already.
func (s *server) RemoveImage(_ context.Context, in *runtimeapi.RemoveImageRequest) (*runtimeapi.RemoveImageResponse, error) {
	err := s.change(func(st *state) error {
		if img := st.findImage(in.GetImage().GetImage()); img != nil {
			delete(st.Images, img.Reference)
		}
		return nil
	})
	return &runtimeapi.RemoveImageResponse{}, err
}

// findImage finds an image by reference or id.
func (st *state) findImage(name string) *image {
	if img := st.Images[name]; img != nil {
		return img
	}
	for _, img := range st.Images {
		if img.ID == name {
			return img
		}
	}
	return nil
}

func (img *image) describe() *runtimeapi.Image {
	described := &runtimeapi.Image{Id: img.ID, Size: imageSize, Spec: &runtimeapi.ImageSpec{Image: img.Reference}}
	if strings.Contains(img.Reference, "@") {
		described.RepoDigests = []string{img.Reference}
	} else {
		described.RepoTags = []string{img.Reference}
	}
	return described
}
