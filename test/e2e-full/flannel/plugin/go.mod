module kindows.dev/test/flannel/plugin

go 1.26.0

require github.com/containernetworking/plugins v0.9.1
