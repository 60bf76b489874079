import type { FabricEnd } from "./fabric.ts";

/**
 * Shell code that makes the bridge for machines on a host without the lab's libvirt network. The bridge's alias names
 * the lab that owns it.
 *
 * Docker's firewall rules block packets between ports of a bridge, so they are allowed explicitly.
 */
export function bridgeUp({ host: { bridge }, isLocal, lab, mark }: FabricEnd): string {
  if (isLocal) {
    return `[ -e /sys/class/net/${bridge} ] || fail "the bridge ${bridge} of libvirt's network ${lab} is missing"`;
  }
  return `if [ ! -e /sys/class/net/${bridge} ]; then
  ip link add name ${bridge} type bridge
  ip link set dev ${bridge} alias ${mark} addrgenmode none
fi
is_own ${bridge} || fail "the interface ${bridge} is not the lab's: write another hypervisors[].bridge"
ip link set dev ${bridge} up
if command -v iptables >/dev/null; then
  iptables -w -C FORWARD ${throughBridge(bridge)} 2>/dev/null || iptables -w -I FORWARD ${throughBridge(bridge)}
fi`;
}

export function bridgeDown({ host: { bridge }, isLocal }: FabricEnd): string {
  return isLocal
    ? ":"
    : `if is_own ${bridge}; then
  ip link delete dev ${bridge}
  if command -v iptables >/dev/null; then iptables -w -D FORWARD ${throughBridge(bridge)} || :; fi
fi`;
}

function throughBridge(bridge: string): string {
  return `-i ${bridge} -o ${bridge} -j ACCEPT`;
}
