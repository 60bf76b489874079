#!/bin/bash
# Pod networking between the Linux nodes of one layer-2 segment, as kind's own kindnetd does it: each node hands its pod
# range to the CNI plugins ptp and host-local, routes every other node's range through that node's address, and
# masquerades what leaves the cluster.
# Environment: NODE_NAME, this node's name; POD_SUBNET, the cluster's pod range in CIDR form.
set -euo pipefail
: "${NODE_NAME:?}" "${POD_SUBNET:?}"

readonly cni_config=/etc/cni/net.d/10-pod-routes.conflist
# Marks the routes of this script, so that it can remove those of deleted nodes without touching others.
readonly protocol=157
readonly account=/var/run/secrets/kubernetes.io/serviceaccount
export KUBECONFIG=/kubeconfig

# The kubelet's address of the API server. The Service's address works only once kube-proxy runs.
server=
while read -r key value; do
  if [[ "$key" == server: ]]; then
    server=$value
  fi
done </etc/kubernetes/kubelet.conf
readonly server
cat >"$KUBECONFIG" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: own, cluster: {server: "${server}", certificate-authority: ${account}/ca.crt}}]
users: [{name: own, user: {tokenFile: ${account}/token}}]
contexts: [{name: own, context: {cluster: own, user: own}}]
current-context: own
YAML

# Prints a line for each Linux node: name, pod range or "-", address.
list_nodes() {
  kubectl get nodes --selector kubernetes.io/os=linux --request-timeout 10s --output go-template='{{range .items}}{{.metadata.name}} {{or .spec.podCIDR "-"}}{{range .status.addresses}}{{if eq .type "InternalIP"}} {{.address}}{{end}}{{end}}{{"\n"}}{{end}}'
}

write_cni_config() {
  local range=$1 wanted
  wanted=$(
    cat <<JSON
{
  "cniVersion": "0.4.0",
  "name": "pod-routes",
  "plugins": [
    {
      "type": "ptp",
      "ipMasq": false,
      "mtu": 1500,
      "ipam": {
        "type": "host-local",
        "dataDir": "/run/cni-ipam-state",
        "routes": [{ "dst": "0.0.0.0/0" }],
        "ranges": [[{ "subnet": "${range}" }]]
      }
    },
    { "type": "portmap", "capabilities": { "portMappings": true } }
  ]
}
JSON
  )
  if [[ "$(cat "$cni_config" 2>/dev/null)" != "$wanted" ]]; then
    # Renamed into place, because containerd reads the file as soon as it appears.
    printf '%s\n' "$wanted" >"$cni_config.tmp" && mv "$cni_config.tmp" "$cni_config" || return
    echo "this node's pods get addresses of $range"
  fi
}

masquerade() {
  local rule=(POSTROUTING -s "$POD_SUBNET" ! -d "$POD_SUBNET" -m addrtype ! --dst-type LOCAL -j MASQUERADE)
  iptables -w 5 -t nat -C "${rule[@]}" 2>/dev/null || iptables -w 5 -t nat -A "${rule[@]}"
}

# Each command has its own `|| return`, because bash ignores `set -e` in a function whose status is tested.
reconcile() {
  local nodes name range address present
  local -A wanted=()
  nodes=$(list_nodes) || return
  while read -r name range address _; do
    if [[ -z "$name" || "$range" == - ]]; then
      continue
    elif [[ "$name" == "$NODE_NAME" ]]; then
      write_cni_config "$range" || return
    elif [[ -n "$address" ]]; then
      ip route replace "$range" via "$address" proto "$protocol" || return
      wanted[$range]=$address
    fi
  done <<<"$nodes"
  while read -r present _; do
    if [[ -n "$present" && -z "${wanted[$present]:-}" ]]; then
      ip route delete "$present" proto "$protocol" || return
      echo "the node with $present is gone"
    fi
  done <<<"$(ip route show proto "$protocol")"
  masquerade
}

while true; do
  # Prints a line for each node, then one for each change. Restarted every minute, because a connection can die
  # unnoticed.
  kubectl get nodes --watch --request-timeout 60s --output name | while read -r changed; do
    # Handles a burst of changes at once.
    while read -r -t 0.2 changed; do :; done
    until reconcile; do
      echo "could not follow the change of ${changed:-several nodes}; trying again" >&2
      sleep 1
    done
  done || true
  sleep 1
done
