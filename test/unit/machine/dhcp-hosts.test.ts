import assert from "node:assert/strict";
import {
  dhcpHosts,
  dhcpHostXml,
  reserving,
} from "../../../components/machine/actions/dhcp-hosts.ts";

/** As libvirt 9.0 prints it. */
const xml = `<network connections='1'>
  <name>kindows-fleet</name>
  <dns><host ip='192.168.170.1'><hostname>gateway</hostname></host></dns>
  <ip address='192.168.170.1' netmask='255.255.255.0'>
    <dhcp>
      <range start='192.168.170.2' end='192.168.170.254'/>
      <host mac='52:54:00:AA:00:01' name='win-1' ip='192.168.170.10'/>
      <host mac='52:54:00:aa:00:02' ip='192.168.170.11'/>
    </dhcp>
  </ip>
</network>
`;
const there = dhcpHosts(xml);
const first = { mac: "52:54:00:aa:00:01", ip: "192.168.170.10", name: "win-1" };

describe("reservations of addresses", () => {
  it("are read from a network's description, hosts of its DNS left out", () =>
    assert.deepEqual(there, [first, { mac: "52:54:00:aa:00:02", ip: "192.168.170.11", name: "" }]));

  const cases = {
    "one that is there": { wanted: first, todo: { kind: "there" } },
    "a new machine": {
      wanted: { mac: "52:54:00:aa:00:03", ip: "192.168.170.12", name: "win-3" },
      todo: { kind: "add-last" },
    },
    "another address for a machine": {
      wanted: { ...first, ip: "192.168.170.20" },
      todo: { kind: "modify" },
    },
    "another name for a machine": { wanted: { ...first, name: "w" }, todo: { kind: "modify" } },
    "an address that somebody has": {
      wanted: { mac: "52:54:00:aa:00:09", ip: "192.168.170.10", name: "win-9" },
      todo: { kind: "taken", by: first },
    },
    "an address that somebody else has, for a machine that has one": {
      wanted: { ...first, ip: "192.168.170.11" },
      todo: { kind: "taken", by: there[1] },
    },
  };
  for (const [name, { wanted, todo }] of Object.entries(cases)) {
    it(`${name}: ${todo.kind}`, () => assert.deepEqual(reserving(there, wanted), todo));
  }

  it("are written as virsh takes them", () =>
    assert.equal(
      dhcpHostXml(first),
      "<host mac='52:54:00:aa:00:01' name='win-1' ip='192.168.170.10'/>",
    ));
});
