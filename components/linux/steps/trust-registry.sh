#!/bin/sh
# Makes containerd find the lab's registry on the lab's own segment. containerd reads the file at each pull.
# Usage: trust-registry.sh [HOSTS]
#   HOSTS  what containerd reads (registry-hosts.ts), as base64. Default: there is no registry
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin trust-registry

folder=/etc/containerd/certs.d/localhost:5001
if [ $# -gt 0 ]; then
  hosts=$(printf '%s' "$1" | base64 -d)
  mkdir -p "$folder"
  write_file "$folder/hosts.toml" <<TOML
$hosts
TOML
elif [ -d "$folder" ]; then
  rm -r "$folder"
  changed=true
fi
finish ""
