module kindows.dev/test/flannel/daemon

go 1.26.0

require github.com/flannel-io/flannel v0.28.9
