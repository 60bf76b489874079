import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { execa } from "execa";

import { domainXslt, windowsDomainXslt } from "../../../components/machine/libvirt/domain-xslt.ts";
import { domains } from "../../../components/machine/libvirt/domains.ts";
import { networkXslt, poolUuid, poolXslt } from "../../../components/machine/libvirt/lab-mark.ts";
import { libvirtKind } from "../../../components/machine/libvirt/pools-and-networks.ts";
import { readableDisks } from "../../../components/machine/libvirt/storage.ts";
import { closedVolumeXslt } from "../../../components/machine/libvirt/xslt.ts";
import type { ResourceKind } from "../../../components/host-resource.ts";
import { lines } from "../../../host/host.ts";
import { recordedHost } from "../cli/recorded-host.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const labId = "0123456789abcdef";
const name = "kindows-t";

/** XML as the libvirt provider renders it, as far as the mark depends on it. */
const domain = `<domain type="test"><name>${name}-win-1</name><memory>8192</memory>
  <os><type>hvm</type></os>
  <devices><interface type="network"><source network="${name}"/></interface></devices></domain>`;
const network = `<network><name>${name}</name><forward mode="nat"/><bridge name="kw-t"/>
  <ip address="192.168.150.1" netmask="255.255.255.0"/></network>`;
const pool = `<pool type="dir"><name>${name}</name><target><path>/pool</path></target></pool>`;

describe("the lab's id on what libvirt has of a lab", () => {
  const at = inNewFolder();

  async function transformed(xslt: string, input: string): Promise<string> {
    writeFileSync(at("a.xslt"), xslt);
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "-"], { cwd: at(), input });
    return stdout;
  }

  /** The marks that are found after libvirt has read the XML and written it again. */
  async function marksOf(kind: ResourceKind, command: string, xml: string) {
    writeFileSync(at("a.xml"), xml);
    const named = command === "" ? `${name}-win-1` : name;
    // The test driver keeps one description of each network and pool.
    const ask = `${command}dumpxml ${command === "" ? "--inactive " : ""}${named}`;
    const commands = `${command}define ${at("a.xml")}; ${ask}`;
    const { stdout } = await execa("virsh", ["--quiet", "--connect", "test:///default", commands]);
    const found = await kind.find(
      recordedHost({
        [`virsh ${command}list --all`]: command === "" ? ` - ${named} shut off` : `${named} active`,
        [`virsh ${command}dumpxml --inactive ${named}`]: stdout.slice(stdout.indexOf("<")),
      }),
    );
    return found.map(({ mark }) => mark);
  }

  const marked: Readonly<Record<string, readonly [ResourceKind, string, string, string]>> = {
    "domain of a Linux machine": [domains, "", domainXslt([], labId), domain],
    "domain of a Windows machine": [domains, "", windowsDomainXslt([], labId, false), domain],
    network: [libvirtKind("net", "libvirt network"), "net-", networkXslt(labId), network],
    pool: [libvirtKind("pool", "libvirt pool"), "pool-", poolXslt(name, labId), pool],
  };
  eachCase("is kept by libvirt and found again: %s", marked, async ([kind, command, xslt, xml]) => {
    assert.deepEqual(await marksOf(kind, command, await transformed(xslt, xml)), [labId]);
    assert.deepEqual(await marksOf(kind, command, xml), [""]);
  });

  it("makes another UUID for each pool, and none of what is no id", () => {
    assert.match(
      poolUuid(name, labId),
      /^[0-9a-f]{8}-[0-9a-f]{4}-8012-8345-6789abcdef[0-9a-f]{2}$/,
    );
    assert.notEqual(poolUuid(`${name}.b`, labId), poolUuid(name, labId));
    assert.throws(() => poolUuid(name, ""), /not the id of a lab/);
  });

  it("goes with volumes that only their owner can read", async () => {
    const mode = "<permissions><mode>644</mode></permissions>";
    const volume = `<volume><target><format type="qcow2"/>${mode}</target></volume>`;
    const closed = lines(await transformed(closedVolumeXslt, volume)).join("");
    assert.match(closed, /<permissions><mode>0600<\/mode><\/permissions>/);
  });

  it("goes with disks of which doctor names those that other users can read", async () => {
    const modes = {
      "a.qcow2": "0600",
      "b.qcow2": "0644",
      "c.qcow2": "0660",
      "d-identity.iso": "0644",
    };
    const answers = Object.entries(modes).map(([disk, mode]): readonly [string, string] => [
      `virsh vol-dumpxml --pool ${name} ${disk}`,
      `<volume><target><path>/p/${disk}</path><permissions><mode>${mode}</mode></permissions></target></volume>`,
    ]);
    const disk = { kind: "libvirt volume", lab: name, locator: name, identity: undefined };
    const disks = Object.keys(modes).map((each) => ({ ...disk, name: each }));
    const found = [...disks, { ...disk, name: "elsewhere", hypervisor: "b" }];
    const readable = await readableDisks(recordedHost(Object.fromEntries(answers)), found);
    assert.deepEqual(readable, ["/p/b.qcow2", "/p/c.qcow2"]);
  });
});
