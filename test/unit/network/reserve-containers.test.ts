import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

import { containerHost } from "../../../components/network/lab-hosts.ts";
import { dhcpHosts } from "../../../components/machine/libvirt/dhcp-hosts.ts";
import { type Ended, runAction } from "../controlplane/run-action.ts";
import { inNewFolder } from "../new-folder.ts";

/** A virsh whose libvirt has one active network, `default`: what runs and what is kept of it are two files. */
const fakeVirsh = (node: string, folder: string): string => `#!${node}
const fs = require("node:fs");
const args = process.argv.slice(5);
const file = (scope) => "${folder}/" + scope;
const read = (scope) => fs.readFileSync(file(scope), "utf8");
for (const command of args.join(" ").split("; ")) {
  if (command.startsWith("net-list")) console.log("default");
  else if (command.startsWith("net-dhcp-leases")) process.stdout.write(read("leases"));
  else if (command.startsWith("net-dumpxml")) process.stdout.write(read(command.includes("--inactive") ? "--config" : "--live"));
  else {
    const [, how, entry, flags] = /^net-update default (\\S+) ip-dhcp-host '(.*)' (.*)$/.exec(command);
    for (const scope of flags.split(" ")) {
      const text = read(scope);
      const line = entry + "\\n";
      if (how === "delete" ? !text.includes(line) : text.includes(line)) process.exit(1);
      fs.writeFileSync(file(scope), how === "delete" ? text.replace(line, "") : text.replace("</dhcp>", line + "</dhcp>"));
    }
    fs.appendFileSync(file("changes"), how + "\\n");
  }
}
`;

const lab = { lab: "kindows-own", id: "0123456789abcdef" };
const theirs =
  '<host mac="52:54:00:00:00:01" name="kindows-own-0000000000000000-250" ip="192.168.122.250"/>\n';
const network = `<network><uuid>u</uuid><forward mode='nat'/><bridge name='virbr0'/><ip address='192.168.122.1' netmask='255.255.255.0'><dhcp>
${theirs}</dhcp></ip></network>`;

describe("reserving containers' addresses", () => {
  let at: ReturnType<typeof inNewFolder>;
  const read = (file: string): string => readFileSync(at(file), "utf8");
  const reserved = (scope: string): string[] => dhcpHosts(read(scope)).map(({ ip }) => ip);

  beforeEach(() => {
    at = inNewFolder();
    writeFileSync(at("virsh"), fakeVirsh(process.execPath, at()));
    chmodSync(at("virsh"), 0o755);
    for (const scope of ["--live", "--config"]) writeFileSync(at(scope), network);
    writeFileSync(at("leases"), "");
    writeFileSync(at("changes"), "");
  });

  const run = (flags = "", avoid: readonly string[] = []): Promise<Ended> =>
    runAction(`network/actions/reserve-containers${flags}`, {
      PATH: `${at()}:${process.env["PATH"] ?? ""}`,
      CONTAINERS: JSON.stringify({
        ...{ uri: "qemu:///system", network: "default", ...lab, prefixLength: 28 },
      }),
      AVOID: JSON.stringify(avoid),
    });

  it("takes a free block, and leaves the network as it was; another lab's reservation stays", async () => {
    const made = await run("", ["192.168.122.230"]);
    assert.equal(made.stdout, "192.168.122.208/28", made.stderr);
    assert.equal(reserved("--live").length, 17);
    assert.deepEqual(reserved("--config"), reserved("--live"));
    assert.equal((await run(" --release")).exitCode, 0);
    assert.deepEqual([read("--live"), read("--config")], [network, network]);
  });

  it("completes what a killed run has begun, even if a better block is free", async () => {
    const begun = containerHost(lab, "192.168.122.35");
    const line = `<host mac="${begun.mac}" name="${begun.name}" ip="${begun.ip}"/>\n`;
    writeFileSync(at("--config"), network.replace("</dhcp>", `${line}</dhcp>`));
    assert.equal((await run()).stdout, "192.168.122.32/28");
    assert.deepEqual(reserved("--config").sort(), reserved("--live").sort());
    writeFileSync(at("changes"), "");
    assert.equal((await run()).stdout, "192.168.122.32/28");
    assert.equal(read("changes"), "", "the second time changes nothing");
  });

  it("finds no block where each has a lease, and changes nothing", async () => {
    const lease = (n: number): string =>
      `date 52:54:00:00:01:0${n % 10} ipv4 192.168.122.${n}/24 - -`;
    writeFileSync(at("leases"), Array.from({ length: 16 }, (_, n) => lease(n * 16 + 9)).join("\n"));
    const { exitCode, stderr } = await run();
    assert.equal(exitCode, 1);
    assert.match(stderr, /has no block of 16 addresses/);
    assert.equal(read("changes"), "");
  });
});
