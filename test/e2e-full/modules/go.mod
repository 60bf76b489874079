module kindows.dev/test/e2e

go 1.26.0

require (
	github.com/containernetworking/plugins v0.9.1
	github.com/flannel-io/flannel v0.28.9
	sigs.k8s.io/kube-network-policies v0.7.0
)
