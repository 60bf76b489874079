module kindows.dev/test/flannel

go 1.26.0

require (
	github.com/containernetworking/plugins v0.9.1
	github.com/flannel-io/flannel v0.28.9
)
