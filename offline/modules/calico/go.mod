module kindows.dev/toolchain/calico

go 1.26

// Only its files are used: the definitions of Calico's and its operator's resources. Nothing is compiled.
require github.com/tigera/operator v1.42.3 // indirect
