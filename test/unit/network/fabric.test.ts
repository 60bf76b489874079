import assert from "node:assert/strict";

import { fabricUnit } from "../../../components/network/fabric/host-script.ts";
import { lacking } from "../../../components/network/fabric/readiness.ts";
import { ovn } from "../../../components/network/fabric/ovn.ts";
import { routed } from "../../../components/network/fabric/routed.ts";
import { vxlan } from "../../../components/network/fabric/vxlan.ts";
import { hostProblemText } from "../../../config/host-problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { fabricEnds } from "../../../components/network/fabric/fabric-ends.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
const login = { hostKey, privateKeyFile: "/k" };

const cidr = "192.168.150.0/24";

function endsWith(...hosts: readonly string[]) {
  const settings = {
    network: { fabric: "vxlan" },
    hypervisor: { fabricAddress: "192.0.2.1" },
    hypervisors: [
      { ...login, name: "b", uri: "qemu+ssh://root@192.0.2.2/system", bridge: "br-b" },
      { ...login, name: "c", uri: "qemu+ssh://root@c/system", fabricAddress: "192.0.2.3" },
    ],
    nodes: hosts.map((hypervisor, number) => ({ name: `win-${number}`, hypervisor })),
  };
  return fabricEnds(resolveSettings(settings, { stack: "x", file: "Pulumi.x.yaml" }));
}

describe("a network fabric", () => {
  it("is on this host and on those that have nodes", () => {
    const hosts = [
      { name: "local", address: "192.0.2.1", bridge: "kw-x", cidr },
      { name: "b", address: "192.0.2.2", bridge: "br-b", cidr },
      { name: "c", address: "192.0.2.3", bridge: "kw-x", cidr },
    ];
    assert.deepEqual(endsWith("local"), []);
    const two = endsWith("c");
    assert.deepEqual(
      two.map(({ host }) => host),
      [hosts[0], hosts[2]],
    );
    const three = endsWith("b", "c");
    assert.deepEqual(
      three.map(({ host, peers, isLocal }) => [host, ...peers, isLocal]),
      hosts.map((host, index) => [host, ...hosts.filter((one) => one !== host), index === 0]),
    );
    assert.equal(new Set([...two, ...three].map(({ number }) => number)).size, 1);
  });

  it("comes back with libvirt's bridge here, and before libvirt's machines elsewhere", () => {
    const [here, there] = endsWith("b").map((end) => fabricUnit(vxlan.onHost, end));
    assert.match(here ?? "", /^BindsTo=sys-subsystem-net-devices-kw\\x2dx\.device$/m);
    assert.match(here ?? "", /^WantedBy=sys-subsystem-net-devices-kw\\x2dx\.device$/m);
    assert.match(there ?? "", /^Before=libvirtd\.service virtqemud\.service$/m);
    assert.match(there ?? "", /^WantedBy=multi-user\.target$/m);
  });

  it("names the host, and what it lacks", () => {
    const [here, there] = endsWith("b");
    assert.ok(here && there);
    const found = [
      ...lacking(vxlan.onHost, here, "iproute2\n"),
      ...lacking(vxlan.onHost, there, "address 192.0.2.2\nvxlan\n"),
      ...lacking(vxlan.onHost, there, ""),
      ...lacking(routed.onHost, there, "taken 10.7.0.0/24: 10.7.0.0/16 dev eth1\n"),
      ...lacking(ovn.onHost, there, "programs ovn-controller\nopenvswitch\nmtu eth0 1500\n"),
    ];
    assert.deepEqual(found.map(hostProblemText), [
      "This host lacks the programs ip and bridge. Install its package iproute2.",
      "The hypervisor b has no interface with its fabricAddress (192.0.2.2). Write an address of this host that the others reach (kindows:network.fabric).",
      "The hypervisor b cannot make a VXLAN. Make `modprobe vxlan` succeed there; the module is in the kernel's package.",
      "The hypervisor b already has a route into a range of the lab (10.7.0.0/24: 10.7.0.0/16 dev eth1). Write another kindows:network.cidr or hypervisors[].cidr, or remove that route there.",
      "The hypervisor b lacks a program of Open vSwitch or OVN (ovn-controller). Install the packages openvswitch-switch and ovn-host, on the host with the control plane ovn-central too.",
      "The hypervisor b has an Open vSwitch that does not answer. Start it: systemctl enable --now openvswitch-switch ovn-host.",
      "The hypervisor b has an interface to another host whose MTU is too small (eth0 1500). Give that interface, and all links between the hosts, an MTU of 1558, or write vxlan for kindows:network.fabric.",
    ]);
  });
});
