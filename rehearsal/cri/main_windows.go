package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/Microsoft/go-winio"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	pipeRoot  = `\\.\pipe\`
	startTime = 120 * time.Second
	// containerRoots is the folder of HostProcess containers' files, as in containerd before version 1.7.
	containerRoots = `C:\C`
	podVolumes     = `C:\var\lib\kubelet\pods`
	// cniResults is containerd's.
	cniResults = `C:\var\lib\cni`
	// probePatience is for emulated processors, on which a program such as Calico's takes seconds to start.
	probePatience = 6
	kubeletConfig = `C:\etc\kubernetes\kubelet.conf`
	// maxMessageBytes is the maximum size of a message, as in kubelet and containerd.
	maxMessageBytes = 16 << 20
)

type options struct{ listen, containerd, stateFile, readyFile, images, boot string }

func main() {
	var options options
	flag.StringVar(&options.listen, "listen", "", "name of the pipe to serve on")
	flag.StringVar(&options.containerd, "containerd", "", "name of the pipe that containerd serves on")
	flag.StringVar(&options.stateFile, "state", "", "file in which the modelled pods are stored")
	flag.StringVar(&options.readyFile, "ready", "", "file to create when the pipe is served and containerd answers")
	flag.StringVar(&options.images, "images", "", "folder with the programs of images whose containers really run")
	flag.StringVar(&options.boot, "boot", "", "identifies this boot of the machine; pods of other boots have ended")
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.LUTC)
	if err := serve(options); err != nil {
		log.Fatalf("rehearsal-cri: %v", err)
	}
}

func serve(o options) error {
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		return winio.DialPipeContext(ctx, pipeRoot+o.containerd)
	}
	if err := occupyFirstInstance(o.containerd); err != nil {
		return fmt.Errorf("containerd does not serve %s%s: %w", pipeRoot, o.containerd, err)
	}
	connection, err := grpc.NewClient("passthrough:///containerd",
		grpc.WithContextDialer(dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes)))
	if err != nil {
		return err
	}
	st, err := loadState(o.stateFile, o.boot, time.Now())
	if err != nil {
		return err
	}
	srv := &server{
		containerd:       runtimeapi.NewRuntimeServiceClient(connection),
		containerdImages: runtimeapi.NewImageServiceClient(connection),
		images:           o.images,
		roots:            containerRoots,
		volumes:          podVolumes,
		drive:            `C:\`,
		networks:         computeNetwork{},
		cniResults:       cniResults,
		podSpec:          askAsKubelet(kubeletConfig),
		patience:         probePatience,
		now:              time.Now,
		state:            st,
		processes:        map[string]*hostProcess{},
		answers:          map[string]*http.Server{},
	}
	for id, c := range st.Containers {
		srv.answerProbes(id, c)
	}
	if err := srv.serveStreams(); err != nil {
		return err
	}
	var version *runtimeapi.VersionResponse
	err = await(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		version, err = srv.containerd.Version(ctx, &runtimeapi.VersionRequest{})
		return err
	})
	if err != nil {
		return fmt.Errorf("containerd did not answer within %s; last seen: %w", startTime, err)
	}
	pipe, err := winio.ListenPipe(pipeRoot+o.listen, nil)
	if err != nil {
		return err
	}
	if err := occupyFirstInstance(o.listen); err != nil {
		return err
	}
	log.Printf("serves %s%s in front of %s %s; containers are modelled, except those of the images in %s",
		pipeRoot, o.listen, version.RuntimeName, version.RuntimeVersion, o.images)
	if err := os.WriteFile(o.readyFile, nil, 0o644); err != nil {
		return err
	}
	rpc := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes))
	runtimeapi.RegisterRuntimeServiceServer(rpc, srv)
	runtimeapi.RegisterImageServiceServer(rpc, srv)
	return rpc.Serve(pipe)
}

// await calls try until it succeeds, or returns its last error after startTime.
func await(try func() error) error {
	for end := time.Now().Add(startTime); ; time.Sleep(50 * time.Millisecond) {
		if err := try(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// occupied keeps connections open while this program runs.
var occupied []net.Conn

// occupyFirstInstance connects to a pipe as soon as it exists, and holds the connection.
//
// Go's listeners create a first instance of their pipe only to reserve its name. Windows lets no client connect to it,
// but Wine does, and that client never gets an answer. With this connection, kubelet and kubeadm get other instances.
func occupyFirstInstance(pipe string) error {
	return await(func() error {
		timeout := time.Second
		connection, err := winio.DialPipe(pipeRoot+pipe, &timeout)
		if err == nil {
			occupied = append(occupied, connection)
		}
		return err
	})
}
