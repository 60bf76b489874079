#!/bin/sh
# Removes everything of a cluster from a machine: pods, the kubelet's keys and configuration, and the pods' network.
# Programs stay. Changes nothing on a machine that is in no cluster, and nothing in the cluster.
# Usage: reset-node.sh
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin reset-node
if [ -e /etc/kubernetes/kubelet.conf ] || [ -e /etc/kubernetes/pki ] || [ -e /var/lib/kubelet/config.yaml ]; then
  changed=true
  timeout 300 kubeadm reset --force >&2 ||
    fail ResetFailed "kubeadm reset failed, and said why above." "Correct the cause and run again."
  # kubeadm reset leaves these folders.
  rm -rf /etc/cni/net.d /run/cni-ipam-state /etc/kubernetes /var/lib/kubelet
  # The interfaces of removed pods.
  ip -oneline link show type veth | sed 's/^[0-9]*: \([^@:]*\).*/\1/' | while read -r interface; do
    ip link delete "$interface"
  done
fi
finish ""
