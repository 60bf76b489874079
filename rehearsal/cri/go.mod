module kindows.dev/rehearsal-cri

go 1.26.0

require (
	github.com/Microsoft/go-winio v0.6.3-0.20251027160822-ad3df93bed29
	github.com/containernetworking/cni v1.3.0
	go.yaml.in/yaml/v3 v3.0.4
	golang.org/x/sys v0.46.0
	google.golang.org/grpc v1.79.3
	google.golang.org/protobuf v1.36.12-0.20260120151049-f2248ac996af
	k8s.io/cri-api v0.36.4
	k8s.io/cri-streaming v0.36.4
	k8s.io/utils v0.0.0-20260210185600-b8788abfbbc2
)

require (
	github.com/emicklei/go-restful/v3 v3.13.0 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/moby/spdystream v0.5.1 // indirect
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/text v0.39.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260128011058-8636f8732409 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/streaming v0.36.4 // indirect
)
