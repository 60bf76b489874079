#!/bin/sh
# Joins a prepared machine to a cluster with kubeadm. The configuration, which contains a secret, is read from standard
# input. A machine that is in this cluster already only gets its kubelet's arguments. A machine in another cluster is
# reset first.
# Usage: join-node.sh CA_CERT_HASH HOSTS KUBELET_ARGUMENTS SECONDS < JoinConfiguration
#   CA_CERT_HASH  sha256:<hex> of the public key of the cluster's CA
#   HOSTS         entries for /etc/hosts as ADDRESS=NAME, separated by semicolons
set -eu
# shellcheck source=components/linux/steps/lib.sh
. "$(dirname "$0")/lib.sh"
begin join-node
ca_cert_hash=$1
hosts=$2
kubelet_arguments=$3
seconds=$4

# On a tmpfs, so that the token never reaches a disk.
config=/run/kindows-join.yaml
trap 'rm -f "$config"' EXIT
(umask 077 && cat >"$config")

write_file /etc/hosts <<CONF
$(sed '/^# kindows begin$/,/^# kindows end$/d' /etc/hosts)
# kindows begin
$(echo "$hosts" | tr ';=' '\n ')
# kindows end
CONF
write_file /etc/default/kubelet <<CONF
KUBELET_EXTRA_ARGS="$kubelet_arguments"
CONF

ca=/etc/kubernetes/pki/ca.crt
joined_hash() {
  openssl x509 -in "$ca" -noout -pubkey | openssl pkey -pubin -outform der | sha256sum | sed 's/^/sha256:/; s/ .*//'
}
if [ -f /etc/kubernetes/kubelet.conf ] && [ "$(joined_hash)" = "$ca_cert_hash" ]; then
  # A restarted kubelet also registers its Node again if somebody has deleted it.
  systemctl restart kubelet
else
  changed=true
  if [ -e /etc/kubernetes/kubelet.conf ] || [ -e "$ca" ] || [ -e /var/lib/kubelet/config.yaml ]; then
    sh "$(dirname "$0")/reset-node.sh" >&2
  fi
  status=0
  timeout "$seconds" kubeadm join --config "$config" >&2 || status=$?
  if [ "$status" = 124 ]; then
    fail JoinUnfinished "kubeadm join has not ended within $seconds s." \
      "Look at: journalctl -u kubelet, and whether the API server can be reached from here."
  elif [ "$status" != 0 ]; then
    fail JoinFailed "kubeadm join ended with exit code $status, and said why above." \
      "Correct the cause and run again."
  fi
fi
finish "\"nodeName\":\"$(hostname)\""
