import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { domainXslt } from "../../../components/machine/domain-xslt.ts";
import { windowsDomainXslt } from "../../../components/machine/windows-domain-xslt.ts";
import { assertGolden } from "../controlplane/golden.ts";

/** What libvirt's provider 0.8.3 renders (newDomainDef in its domain_def.go) for a machine of ours. */
const rendered = readFileSync(new URL("rendered-domain.xml", import.meta.url), "utf8");

/** As the provider renders `firmware` and `nvram` (setFirmware in its domain.go). */
const firmware = `  <loader readonly="yes" secure="no" type="pflash">/CODE.fd</loader>
    <nvram template="/VARS.fd">/var/lib/libvirt/qemu/nvram/kindows-dev-win-1_VARS.fd</nvram>
  </os>`;

describe("what is made of the domain that libvirt's provider renders", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "kindows-xslt-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function transformed(xslt: string, input = rendered): Promise<string> {
    writeFileSync(path.join(folder, "a.xslt"), xslt);
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "-"], { cwd: folder, input });
    return `${stdout}\n`;
  }

  it("is as reviewed for Windows with KVM: its screen for this host only, the rest as it was", async () => {
    const text = await transformed(windowsDomainXslt({ kvm: true }));
    assertGolden(new URL("./", import.meta.url), "windows-kvm.xml", text);
  });

  it("has no enlightenments where there is no KVM to give them", async () => {
    const kvm = await transformed(windowsDomainXslt({ kvm: true }));
    assert.equal(
      await transformed(windowsDomainXslt({ kvm: false })),
      kvm
        .replace(/<hyperv>.*<vmport state="off"\/>/, "")
        .replace('<timer name="hypervclock" present="yes"/>', ""),
    );
  });

  it("has UEFI's program and settings as they were", async () => {
    const kvm = await transformed(windowsDomainXslt({ kvm: true }));
    assert.equal(
      await transformed(windowsDomainXslt({ kvm: true }), rendered.replace("</os>", firmware)),
      kvm.replace("</os>", firmware),
    );
  });

  for (const [name, kvm, input] of [
    ["with KVM", true, rendered],
    ["emulated", false, rendered],
    ["with UEFI", true, rendered.replace("</os>", firmware)],
  ] as const) {
    it(`is one for Windows that libvirt's schema knows: ${name}`, async () => {
      const file = path.join(folder, "domain.xml");
      writeFileSync(file, await transformed(windowsDomainXslt({ kvm }), input));
      await execa("virt-xml-validate", [file, "domain"]);
    });
  }

  it("has for a rehearsal and for Linux the identity disk on virtio-scsi, and the rest as it was", async () => {
    const text = await transformed(domainXslt());
    const plain = (xml: string): string =>
      xml.replaceAll(/(?<!\/)><\/\w+>/g, "/>").replaceAll(/\s+/g, "");
    assert.equal(
      plain(text),
      plain(rendered)
        .replace('<targetdev="hdd"bus="ide"/>', '<targetdev="sda"bus="scsi"/>')
        .replace("</devices>", '<controllertype="scsi"index="0"model="virtio-scsi"/></devices>'),
    );
  });
});
