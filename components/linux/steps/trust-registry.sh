#!/bin/sh
# Makes containerd find the lab's registry, which serves without TLS on the lab's own segment. containerd reads the file at each
# pull.
# Usage: trust-registry.sh [ADDRESS]
#   ADDRESS  where it is, e.g. 192.168.150.254:5000. Default: there is none
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin trust-registry

folder=/etc/containerd/certs.d/localhost:5001
if [ $# -gt 0 ]; then
  mkdir -p "$folder"
  write_file "$folder/hosts.toml" <<TOML
[host."http://$1"]
  capabilities = ["pull", "resolve"]
TOML
elif [ -d "$folder" ]; then
  rm -r "$folder"
  changed=true
fi
finish ""
