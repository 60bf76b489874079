import assert from "node:assert/strict";
import { domainsIn, networksIn, poolsIn } from "../../../preflight/libvirt-xml.ts";
import { availableIn, bridgeIn } from "../../../preflight/probe-hypervisors.ts";

/** What virsh prints for three networks, two pools and two domains, shortened. */
const text = `<network>
  <name>default</name>
  <bridge name='virbr0' stp='on' delay='0'/>
  <ip address='192.168.122.1' netmask='255.255.255.0'>
    <dhcp>
      <range start='192.168.122.2' end='192.168.122.254'/>
    </dhcp>
  </ip>
</network>

<network connections='1'>
  <name>kindows-x</name>
  <bridge name='kw-x' stp='on' delay='0'/>
  <domain name='x.kindows.test' localOnly='yes'/>
  <ip family='ipv4' address='192.168.171.1' prefix='24'>
    <dhcp>
      <host mac='52:54:00:11:22:33' name='win-1' ip='192.168.171.10'/>
    </dhcp>
  </ip>
  <ip family='ipv6' address='fd00::1' prefix='64'>
  </ip>
</network>

<network>
  <name>isolated</name>
</network>

<pool type='dir'>
  <name>kindows-x</name>
  <target>
    <path>/var/lib/libvirt/images/kindows-x</path>
  </target>
</pool>

<pool type='rbd'>
  <name>ceph</name>
  <source>
    <name>rbd</name>
  </source>
</pool>

<domain type='qemu' id='3'>
  <name>kindows-x-win-1</name>
  <devices>
    <interface type='network'>
      <source network='kindows-x' portid='21b1eb58' bridge='kw-x'/>
    </interface>
    <interface type='bridge'>
      <source bridge='br0'/>
    </interface>
    <interface type='network'>
      <source network='default'/>
    </interface>
  </devices>
</domain>

<domain type='kvm'>
  <name>db</name>
</domain>
`;

describe("libvirt's answers", () => {
  it("tell networks", () =>
    assert.deepEqual(networksIn(text), [
      { name: "default", bridge: "virbr0", cidrs: ["192.168.122.0/24"] },
      { name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.171.0/24"] },
      { name: "isolated", bridge: undefined, cidrs: [] },
    ]));

  it("tell pools", () =>
    assert.deepEqual(poolsIn(text), [
      { name: "kindows-x", path: "/var/lib/libvirt/images/kindows-x" },
      { name: "ceph", path: undefined },
    ]));

  it("tell machines", () =>
    assert.deepEqual(domainsIn(text), [
      { name: "kindows-x-win-1", running: true, networks: ["kindows-x", "default"] },
      { name: "db", running: false, networks: [] },
    ]));

  it("tell nothing of nothing", () =>
    assert.deepEqual([networksIn(""), poolsIn(""), domainsIn("")], [[], [], []]));

  const bridges: Readonly<Record<string, readonly [answer: object, bridge: unknown]>> = {
    "a bridge with its MTU": [
      { stdout: "<interface type='bridge' name='br0'>\n  <mtu size='9000'/>\n</interface>\n" },
      { mtu: 9000 },
    ],
    "a bridge that tells no MTU": [
      { stdout: "<interface type='bridge' name='br0'/>\n" },
      { mtu: undefined },
    ],
    "an interface that is no bridge": [
      { stdout: "<interface type='ethernet' name='br0'>\n  <mtu size='1500'/>\n</interface>\n" },
      "missing",
    ],
    "no interface of that name": [
      {
        stderr: "error: failed\nerror: Interface not found: couldn't find interface named 'br0'\n",
      },
      "missing",
    ],
    "a libvirt without the driver": [
      {
        stderr:
          "error: this function is not supported by the connection driver: virInterfaceLookup",
      },
      "unknown",
    ],
  };
  for (const [what, [answer, bridge]] of Object.entries(bridges)) {
    it(`tell of another host: ${what}`, () =>
      assert.deepEqual(bridgeIn({ stdout: "", stderr: "", ...answer }), bridge));
  }

  it("tell what memory is free, and what caches would give back, or not", () => {
    const table =
      "total  :             16384000 KiB\nfree   :              1024000 KiB\nbuffers:                 1024 KiB\ncached :              2048000 KiB\n";
    assert.equal(availableIn(table), 3001);
    assert.equal(availableIn("error: unsupported"), undefined);
  });
});
