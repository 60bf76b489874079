package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageSize is the size of every image in bytes. Nothing is pulled, but kubelet refuses images without a size.
const imageSize = 1

// PullImage records an image as pulled. Nothing is downloaded.
func (s *server) PullImage(_ context.Context, in *runtimeapi.PullImageRequest) (*runtimeapi.PullImageResponse, error) {
	reference := in.GetImage().GetImage()
	if reference == "" || strings.ContainsAny(reference, " \t\n") {
		return nil, status.Errorf(codes.InvalidArgument, "%q is not an image reference", reference)
	}
	sum := sha256.Sum256([]byte(reference))
	img := &runtimeapi.Image{
		Id: "sha256:" + hex.EncodeToString(sum[:]), Size: imageSize, Spec: &runtimeapi.ImageSpec{Image: reference},
	}
	if strings.Contains(reference, "@") {
		img.RepoDigests = []string{reference}
	} else {
		img.RepoTags = []string{reference}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Images[reference] = img
	return &runtimeapi.PullImageResponse{ImageRef: img.Id}, s.state.save()
}

func (s *server) ListImages(_ context.Context, in *runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	wanted := in.GetFilter().GetImage().GetImage()
	s.mu.Lock()
	defer s.mu.Unlock()
	response := &runtimeapi.ListImagesResponse{}
	for _, img := range s.state.Images {
		if wanted == "" || img == s.state.findImage(wanted) {
			response.Images = append(response.Images, img)
		}
	}
	slices.SortFunc(response.Images, func(a, b *runtimeapi.Image) int { return strings.Compare(a.Id, b.Id) })
	return response, nil
}

// ImageStatus describes an image: one that was "pulled", or one that containerd has, because it was imported. Otherwise the
// answer is empty, as CRI requires.
func (s *server) ImageStatus(ctx context.Context, in *runtimeapi.ImageStatusRequest) (*runtimeapi.ImageStatusResponse, error) {
	img, err := s.findImage(ctx, in.GetImage().GetImage())
	return &runtimeapi.ImageStatusResponse{Image: img}, err
}

// findImage returns nil for an image that is not there.
func (s *server) findImage(ctx context.Context, name string) (*runtimeapi.Image, error) {
	s.mu.Lock()
	img := s.state.findImage(name)
	s.mu.Unlock()
	if img != nil {
		return img, nil
	}
	response, err := s.containerdImages.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: name}})
	return response.GetImage(), err
}

// RemoveImage removes an image. It does nothing if the image does not exist.
func (s *server) RemoveImage(_ context.Context, in *runtimeapi.RemoveImageRequest) (*runtimeapi.RemoveImageResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.state.Images, s.state.findImage(in.GetImage().GetImage()).GetSpec().GetImage())
	return &runtimeapi.RemoveImageResponse{}, s.state.save()
}

func (st *state) findImage(name string) *runtimeapi.Image {
	if img := st.Images[name]; img != nil {
		return img
	}
	for _, img := range st.Images {
		if img.Id == name {
			return img
		}
	}
	return nil
}
