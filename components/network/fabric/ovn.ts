import { segmentMtu } from "../packet-size.ts";
import type { Fabric, FabricEnd } from "./fabric.ts";
import { bridgeDown, bridgeUp } from "./linux-bridge.ts";

/** Bytes that Geneve with OVN's option adds to a packet: IPv4 20, UDP 8, Geneve 16, Ethernet 14. */
const overhead = 58;

/** The settings of ovn-controller in Open vSwitch, which are removed with the fabric. */
const keys = ["ovn-remote", "ovn-encap-type", "ovn-encap-ip", "ovn-bridge"];

/**
 * One layer-2 segment: an OVN logical switch with a port for the Linux bridge of each host, and Geneve between the
 * hosts. OVN's databases are on this host. libvirt still provides DHCP and DNS.
 *
 * The lab has its own integration bridge. Other bridges of Open vSwitch are not touched.
 */
export const ovn = {
  choice: "made by kindows: a logical switch of OVN, geneve between the hosts' Open vSwitches",
  checks: [],
  onHost: {
    up: (end: FabricEnd) => {
      const { mark, host, isLocal } = end;
      const { integration, port, plug } = namesOf(end);
      return `${bridgeUp(end)}
remote=$(ovs_key ovn-remote)
[ -z "$remote" ] || [ "$(ovs_key kindows)" = ${mark} ] || fail "Open vSwitch belongs to another OVN here, $remote"
${isLocal ? `${centralUp(end)}\n` : ""}ovs-vsctl --may-exist add-br ${integration} -- set bridge ${integration} fail-mode=secure -- \\
  set open_vswitch . external-ids:kindows=${mark} external-ids:ovn-bridge=${integration} \\
  external-ids:ovn-encap-type=geneve external-ids:ovn-encap-ip=${host.address} \\
  external-ids:ovn-remote=tcp:${end.local.address}:6642
if [ ! -e /sys/class/net/${plug} ]; then
  ovs-vsctl --if-exists del-port ${integration} ${port}
  ip link add name ${plug} mtu ${segmentMtu} type veth peer name ${port} mtu ${segmentMtu}
  ip link set dev ${plug} alias ${mark} addrgenmode none
  ip link set dev ${port} alias ${mark} addrgenmode none up
  # Open vSwitch in user space forwards checksums as they come, and Linux leaves them to the interface.
  [ "$(ovs_key ovn-bridge-datapath-type)" != netdev ] || ethtool -K ${plug} tx off
fi
ip link set dev ${plug} master ${host.bridge} up
ovs-vsctl --may-exist add-port ${integration} ${port} -- \\
  set interface ${port} external-ids:iface-id=${portOf(end.lab, host.name)}`;
    },
    down: (end: FabricEnd) => {
      const { integration, plug } = namesOf(end);
      return `if command -v ovs-vsctl >/dev/null && [ "$(ovs_key kindows)" = ${end.mark} ]; then
  ovs-vsctl remove open_vswitch . external-ids ${["kindows", ...keys].join(" -- remove open_vswitch . external-ids ")}
  ovs-vsctl --if-exists del-br ${integration}
fi
if is_own ${plug}; then ip link delete dev ${plug}; fi
${end.isLocal ? `${centralDown(end)}\n` : ""}${bridgeDown(end)}`;
    },
    probe: ({ isLocal, peers }: FabricEnd) =>
      `for program in ovs-vsctl ovn-controller${isLocal ? " ovn-nbctl ovn-northd" : ""}; do
  command -v $program >/dev/null || echo programs $program
done
command -v ovs-vsctl >/dev/null && { timeout 5 ovs-vsctl show >/dev/null 2>&1 || echo openvswitch; }
for peer in ${peers.map(({ address }) => address).join(" ")}; do
  device=$(ip -o route get $peer | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')
  mtu=$(cat /sys/class/net/$device/mtu)
  [ "$mtu" -ge ${segmentMtu + overhead} ] || echo mtu $device $mtu
done`,
    remedies: {
      programs: {
        why: "lacks a program of Open vSwitch or OVN",
        instead:
          "Install the packages openvswitch-switch and ovn-host, on the host with the control plane ovn-central too.",
      },
      openvswitch: {
        why: "has an Open vSwitch that does not answer",
        instead: "Start it: systemctl enable --now openvswitch-switch ovn-host.",
      },
      mtu: {
        why: "has an interface to another host whose MTU is too small",
        instead: `Give that interface, and all links between the hosts, an MTU of ${segmentMtu + overhead}, or write vxlan for kindows:network.fabric.`,
      },
    },
    functions: (
      end: FabricEnd,
    ) => `ovs_key() { ovs-vsctl --if-exists get open_vswitch . "external-ids:$1" | tr -d '"'; }
sb_connection() { ovn-sbctl get-connection | sed 's/.* //'; }
chassis() { ovn-sbctl --format=csv --no-headings --columns=chassis_name,ip list encap; }
switch_key() { ovn-nbctl --if-exists get logical_switch ${end.lab} "external-ids:$1" | tr -d '"'; }
own_hosts() { switch_key kindows-hosts | tr / ' '; }`,
    after: ["openvswitch-switch.service", "ovn-central.service", "ovn-host.service"],
  },
} satisfies Fabric;

/** Names of interfaces, which are at most 15 characters long. */
function namesOf({ number }: FabricEnd) {
  const id = number.toString(16).padStart(6, "0");
  return { integration: `kwi-${id}`, port: `kwo-${id}`, plug: `kwp-${id}` };
}

/** Name of a host's port on the lab's logical switch. */
function portOf(lab: string, host: string): string {
  return `${lab}.${host}`;
}

/**
 * Shell code that puts the switch, with a port for each host, into OVN's databases, and removes hosts that have left.
 *
 * The switch has the lab's mark, the addresses of all hosts that have ever been the lab's, and whether the connection
 * was made for it. A chassis with another address, another switch or a router is somebody else's.
 */
function centralUp({ lab, mark, host, peers, local }: FabricEnd): string {
  const hosts = [host, ...peers];
  const ports = hosts.map(({ name }) => portOf(lab, name));
  const addresses = hosts.map(({ address }) => address).join(" ");
  return `own="$(own_hosts) ${addresses}"
others=$(ovn-nbctl --format=csv --no-headings --columns=name,external_ids list logical_switch | grep -v 'kindows=.*${mark}' | cut -d, -f1
ovn-nbctl --format=csv --no-headings --columns=name list logical_router
chassis | while IFS=, read -r name address; do
  case " $own " in *" $address "*) ;; *) echo "$name" ;; esac
done)
[ -z "$others" ] || fail "OVN's databases serve somebody else here: $(echo $others)"
connection=$(sb_connection)
case "$connection" in
  ""|ptcp:6642:${local.address}) ;;
  *) fail "OVN's southbound database serves somebody else here: $connection" ;;
esac
ovn-nbctl --may-exist ls-add ${lab} -- set logical_switch ${lab} external-ids:kindows=${mark} \\
  external-ids:kindows-hosts="$(echo "$own" | xargs -n 1 | sort -u | paste -sd /)"
if [ -z "$connection" ]; then
  ovn-nbctl set logical_switch ${lab} external-ids:kindows-connection=made
  ovn-sbctl set-connection ptcp:6642:${local.address}
fi
for port in ${ports.join(" ")}; do
  ovn-nbctl --may-exist lsp-add ${lab} $port -- lsp-set-addresses $port unknown
done
ovn-nbctl lsp-list ${lab} | sed 's/.*(\\(.*\\))/\\1/' | while read -r port; do
  case " ${ports.join(" ")} " in *" $port "*) ;; *) ovn-nbctl lsp-del "$port" ;; esac
done
chassis | while IFS=, read -r name address; do
  case " ${addresses} " in *" $address "*) ;; *) ovn-sbctl chassis-del "$name" ;; esac
done`;
}

/** Shell code that removes the lab's switch, its connection and its hosts' chassis from OVN's databases. */
function centralDown({ lab, mark, local }: FabricEnd): string {
  return `if command -v ovn-nbctl >/dev/null && [ "$(switch_key kindows)" = ${mark} ]; then
  own=$(own_hosts)
  made=$(switch_key kindows-connection)
  ovn-nbctl ls-del ${lab}
  if [ "$made" = made ] && [ "$(sb_connection)" = ptcp:6642:${local.address} ]; then ovn-sbctl del-connection; fi
  chassis | while IFS=, read -r name address; do
    case " $own " in *" $address "*) ovn-sbctl chassis-del "$name" ;; esac
  done
fi`;
}
