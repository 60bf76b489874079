import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { windowsDomainXslt } from "../../../components/machine/windows-domain-xslt.ts";
import { assertGolden } from "../controlplane/golden.ts";

/** What libvirt's provider 0.8.3 renders (newDomainDef in its domain_def.go) for a machine of ours. */
const rendered = fileURLToPath(new URL("rendered-domain.xml", import.meta.url));

describe("windowsDomainXslt", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "kindows-xslt-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function transformed(kvm: boolean, uefi = false): Promise<string> {
    writeFileSync(path.join(folder, "a.xslt"), windowsDomainXslt({ kvm }));
    const bios = readFileSync(rendered, "utf8");
    // As the provider renders `firmware` and `nvram` (setFirmware in its domain.go).
    const input = uefi
      ? bios.replace(
          "</os>",
          `  <loader readonly="yes" secure="no" type="pflash">/CODE.fd</loader>
    <nvram template="/VARS.fd">/var/lib/libvirt/qemu/nvram/kindows-dev-win-1_VARS.fd</nvram>
  </os>`,
        )
      : bios;
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "-"], { cwd: folder, input });
    return `${stdout}\n`;
  }

  for (const [name, kvm, uefi] of [
    ["windows-kvm.xml", true, false],
    ["windows-emulated.xml", false, false],
    ["windows-uefi.xml", true, true],
  ] as const) {
    it(`gives a domain as reviewed: ${name}`, async () => {
      assertGolden(new URL("./", import.meta.url), name, await transformed(kvm, uefi));
    });

    it(`gives a domain that libvirt's schema knows: ${name}`, async () => {
      const file = path.join(folder, name);
      writeFileSync(file, await transformed(kvm, uefi));
      await execa("virt-xml-validate", [file, "domain"]);
    });
  }

  it("has no enlightenments where there is no KVM to give them", async () => {
    assert.doesNotMatch(await transformed(false), /hyperv/);
    assert.match(await transformed(true), /<stimer state="on">\s*<direct state="on"\/>/);
  });

  it("shows its screen to this host only", async () => {
    const text = await transformed(true);
    assert.deepEqual(text.match(/<graphics [^>]*>/g), [
      '<graphics type="vnc" autoport="yes" listen="127.0.0.1">',
    ]);
  });

  it("leaves what the provider renders: guest agent, random numbers, network, disk", async () => {
    const text = await transformed(true);
    for (const kept of [
      "org.qemu.guest_agent.0",
      "/dev/urandom",
      "kindows-dev-win-1.qcow2",
      "52:54:00:AB:CD:EF",
    ]) {
      assert.ok(text.includes(kept), kept);
    }
  });
});
