#!/bin/sh
# Takes a machine out of its cluster, as far as the machine itself goes: pods, kubelet, its keys and configuration, the
# pods' network. Programs stay. On a machine that is in none, it changes nothing.
# Usage: reset-node.sh
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin reset-node
if [ -e /etc/kubernetes/kubelet.conf ] || [ -e /etc/kubernetes/pki ] || [ -e /var/lib/kubelet/config.yaml ]; then
  changed=true
  timeout 300 kubeadm reset --force >&2 ||
    fail ResetFailed "kubeadm reset did not end well." "It said why above; put it right and run again."
  # kubeadm leaves these to whoever made them.
  rm -rf /etc/cni/net.d /run/cni-ipam-state /etc/kubernetes /var/lib/kubelet
  # The next pods get interfaces and chains of their own.
  ip -oneline link show type veth | sed 's/^[0-9]*: \([^@:]*\).*/\1/' | while read -r interface; do
    ip link delete "$interface"
  done
fi
finish ""
