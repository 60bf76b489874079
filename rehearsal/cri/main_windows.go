package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/Microsoft/go-winio"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	// startSeconds is how long containerd may take to answer after its start.
	startSeconds = 120
	// containerRoots is where HostProcess containers' files are, as with containerd before version 1.7.
	containerRoots = `C:\C`
	// podVolumes is where kubelet keeps pods' volumes.
	podVolumes = `C:\var\lib\kubelet\pods`
	// maxMessageBytes is the largest message, as kubelet and containerd have it.
	maxMessageBytes = 16 << 20
)

func main() {
	listen := flag.String("listen", "", "name of the pipe to serve on")
	containerd := flag.String("containerd", "", "name of the pipe that containerd serves on")
	stateFile := flag.String("state", "", "file that keeps the modelled pods")
	readyFile := flag.String("ready", "", "file to make when the pipe is served and containerd answers")
	images := flag.String("images", "", "folder with the programs of images whose HostProcess containers really run")
	boot := flag.String("boot", "", "names this boot of the machine; pods of another one have ended")
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.LUTC)
	if err := serve(*listen, *containerd, *stateFile, *readyFile, *images, *boot); err != nil {
		log.Fatalf("rehearsal-cri: %v", err)
	}
}

func serve(listen, containerd, stateFile, readyFile, images, boot string) error {
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		return winio.DialPipeContext(ctx, pipeRoot+containerd)
	}
	if err := occupyFirstInstance(containerd, startSeconds*time.Second); err != nil {
		return fmt.Errorf("containerd does not serve %s%s: %w", pipeRoot, containerd, err)
	}
	connection, err := grpc.NewClient("passthrough:///containerd",
		grpc.WithContextDialer(dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes)))
	if err != nil {
		return err
	}
	st, err := loadState(stateFile, boot, time.Now())
	if err != nil {
		return err
	}
	srv := &server{
		containerd:       runtimeapi.NewRuntimeServiceClient(connection),
		containerdImages: runtimeapi.NewImageServiceClient(connection),
		state:            st,
		save:             func(st *state) error { return saveState(stateFile, st) },
		now:              time.Now,
		processes: &hostProcesses{
			images: images, roots: containerRoots, volumes: podVolumes, now: time.Now, all: map[string]*hostProcess{},
		},
	}
	if err := srv.serveStreams(); err != nil {
		return err
	}
	version, err := srv.awaitContainerd(startSeconds*time.Second, 100*time.Millisecond)
	if err != nil {
		return err
	}
	pipe, err := winio.ListenPipe(pipeRoot+listen, nil)
	if err != nil {
		return err
	}
	if err := occupyFirstInstance(listen, time.Second); err != nil {
		return err
	}
	log.Printf("serves %s%s in front of %s %s; pods are modelled, but for HostProcess containers of %s", pipeRoot, listen,
		version.RuntimeName, version.RuntimeVersion, images)
	if err := os.WriteFile(readyFile, nil, 0o644); err != nil {
		return err
	}
	rpc := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes))
	runtimeapi.RegisterRuntimeServiceServer(rpc, srv)
	runtimeapi.RegisterImageServiceServer(rpc, srv)
	return rpc.Serve(pipe)
}
