#!/bin/sh
# Imports the images of archives on the machine into containerd, and removes the archives. Archives whose images were
# imported before are skipped.
# Usage: import-images.sh ARCHIVE SHA256 [ARCHIVE SHA256]...
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin import-images

while [ $# -gt 0 ]; do
  archive=$1
  sha256=$2
  shift 2
  imported=$archive.imported
  if [ "$(cat "$imported" 2>/dev/null)" != "$sha256" ]; then
    check_archive "$archive" "$sha256"
    ctr --namespace k8s.io images import "$archive" >/dev/null ||
      fail ImportFailed "containerd does not take the images: it said why above." "Look at: journalctl -u containerd."
    echo "$sha256" >"$imported"
    changed=true
  fi
  rm -f "$archive"
done
finish ""
