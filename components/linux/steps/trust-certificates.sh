#!/bin/sh
# Makes the machine trust certificates, and removes others that this step has added before. containerd reads them when it
# starts, so it restarts if they change.
# Usage: trust-certificates.sh [PEM]
#   PEM  the certificates as PEM, in base64. Default: none
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin trust-certificates

folder=/usr/local/share/ca-certificates
wanted=/var/lib/kindows-certificates.pem
# Written last, so that a step that was cut short is done again.
trusted=/var/lib/kindows-certificates-trusted.pem
printf '%s' "${1-}" | base64 -d >"$wanted"
touch "$trusted"
if ! cmp -s "$wanted" "$trusted"; then
  changed=true
  command -v update-ca-certificates >/dev/null || install_packages ca-certificates ||
    fail ProgramsMissing "its image lacks update-ca-certificates, and apt-get could not install it: it said why above." \
      "Put the package ca-certificates into the image: virt-customize -a IMAGE --install ca-certificates."
  mkdir -p "$folder"
  rm -f "$folder"/kindows-*.crt
  # One certificate a file, as update-ca-certificates wants it.
  awk -v folder="$folder" '/BEGIN CERTIFICATE/ { n++ } { print > (folder "/kindows-" n ".crt") }' "$wanted"
  update-ca-certificates >&2
  systemctl try-restart containerd
  cp "$wanted" "$trusted"
  sync
fi
rm -f "$wanted"
[ -s "$trusted" ] || rm -f "$trusted"
finish ""
