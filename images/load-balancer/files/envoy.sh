#!/bin/bash
# Stands in for Envoy in the container that kind starts in front of several control planes: watches the two files that
# kind writes (listener and cluster) and configures HAProxy accordingly. It understands only kind's files.
# Called like Envoy: envoy -c <bootstrap file>.
set -euo pipefail

if [[ "${1:-}" != -c || -z "${2:-}" ]]; then
  echo "usage: envoy -c <bootstrap file>" >&2
  exit 2
fi
readonly bootstrap=$2
rendered=$(dirname "$bootstrap")/haproxy.cfg
readonly rendered

# Prints the path below a key such as "cds_config:" in the bootstrap file.
path_of() {
  awk -v key="$1:" '$1 == key { found = 1 } found && $1 == "path:" { print $2; exit }' "$bootstrap"
}
clusters=$(path_of cds_config)
listeners=$(path_of lds_config)
readonly clusters listeners

# Prints "address port" of each socket_address in one of kind's files.
sockets() {
  awk '$1 == "address:" && NF == 2 { gsub(/"/, "", $2); address = $2 } $1 == "port_value:" { print address, $2 }' "$1"
}

render() {
  local address port number=0
  cat <<CFG
global
  log stdout format raw local0 notice
  maxconn 4096
defaults
  mode tcp
  log global
  timeout connect 3s
  # Watches can be idle for a long time.
  timeout client 24h
  timeout server 24h
  option clitcpka
  option srvtcpka
resolvers docker
  parse-resolv-conf
  hold valid 5s
frontend apiserver
CFG
  sockets "$listeners" | while read -r address port; do echo "  bind $address:$port"; done
  cat <<CFG
  default_backend kube_apiservers
backend kube_apiservers
  balance roundrobin
  option httpchk GET /healthz
  default-server check check-ssl verify none inter 1s fall 2 rise 1 resolvers docker resolve-prefer ipv4 init-addr last,libc,none
CFG
  while read -r address port; do
    number=$((number + 1))
    echo "  server control-plane-$number $address:$port"
  done < <(sockets "$clusters")
}

haproxy=
stop() {
  [[ -z "$haproxy" ]] || kill -TERM "$haproxy" 2>/dev/null || true
  exit 0
}
trap stop TERM INT

seen=
while true; do
  state=$(cat "$clusters" "$listeners" | sha256sum)
  if [[ "$state" != "$seen" && -n "$(sockets "$listeners")" && -n "$(sockets "$clusters")" ]]; then
    render >"$rendered"
    if [[ -z "$haproxy" ]]; then
      haproxy -W -db -f "$rendered" &
      haproxy=$!
    else
      # The master process starts new workers and lets the old ones finish.
      kill -USR2 "$haproxy"
    fi
    seen=$state
  fi
  if [[ -n "$haproxy" ]] && ! kill -0 "$haproxy" 2>/dev/null; then
    echo "HAProxy ended" >&2
    exit 1
  fi
  sleep 1 &
  wait $!
done
