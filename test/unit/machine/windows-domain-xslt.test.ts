import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { execa } from "execa";
import { domainXslt } from "../../../components/machine/domain-xslt.ts";
import { windowsDomainXslt } from "../../../components/machine/windows-domain-xslt.ts";
import { inNewFolder } from "../new-folder.ts";

/** What libvirt's provider 0.8.3 renders (newDomainDef in its domain_def.go) for a machine of ours. */
const rendered = readFileSync(new URL("rendered-domain.xml", import.meta.url), "utf8");

/** As the provider renders `firmware` and `nvram` (setFirmware in its domain.go). */
const firmware = `  <loader readonly="yes" secure="no" type="pflash">/CODE.fd</loader>
    <nvram template="/VARS.fd">/var/lib/libvirt/qemu/nvram/kindows-dev-win-1_VARS.fd</nvram>
  </os>`;

describe("what is made of the domain that libvirt's provider renders", () => {
  const at = inNewFolder();

  async function transformed(xslt: string, input = rendered): Promise<string> {
    writeFileSync(at("a.xslt"), xslt);
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "-"], { cwd: at(), input });
    return `${stdout}\n`;
  }

  /** Without what only the writing differs in. */
  const plain = (xml: string): string =>
    xml.replaceAll(/<(\w+)([^<>]*)><\/\1>/g, "<$1$2/>").replaceAll(/\s*\n\s*/g, "");
  const onScsi = ['<target dev="hdd" bus="ide"/>', '<target dev="sda" bus="scsi"/>'] as const;
  const scsi = '<controller type="scsi" index="0" model="virtio-scsi"/>';

  it("has for a rehearsal and for Linux the identity disk on virtio-scsi, and the rest as it was", async () =>
    assert.equal(
      plain(await transformed(domainXslt())),
      plain(rendered)
        .replace(...onScsi)
        .replace("</devices>", `${scsi}</devices>`),
    ));

  const enlightenments =
    '<hyperv><relaxed state="on"/><vapic state="on"/><spinlocks state="on" retries="4095"/>' +
    '<vpindex state="on"/><runtime state="on"/><synic state="on"/>' +
    '<stimer state="on"><direct state="on"/></stimer><frequencies state="on"/>' +
    '<tlbflush state="on"/><ipi state="on"/></hyperv><vmport state="off"/>';
  // The screen for this host only.
  const devices =
    `${scsi}<input type="tablet" bus="usb"/><graphics type="vnc" autoport="yes" listen="127.0.0.1">` +
    '<listen type="address" address="127.0.0.1"/></graphics><video><model type="vga"/></video>';
  const clock =
    '<clock offset="utc"><timer name="rtc" tickpolicy="catchup"/>' +
    '<timer name="pit" tickpolicy="delay"/><timer name="hpet" present="no"/>';

  for (const [what, kvm, features, timer] of [
    ["with KVM", true, enlightenments, '<timer name="hypervclock" present="yes"/>'],
    ["emulated, without what only KVM gives", false, "", ""],
  ] as const) {
    it(`has for Windows what that needs, and the rest as it was: ${what}`, async () =>
      assert.equal(
        plain(await transformed(windowsDomainXslt({ kvm }))),
        plain(rendered)
          .replace("</features>", `${features}</features>`)
          .replace('type="qcow2"/>', 'type="qcow2" discard="unmap"/>')
          .replace(...onScsi)
          .replace('<graphics type="spice" autoport="yes"/>', "")
          .replace("</devices>", `${devices}</devices>`)
          .replace("</domain>", `${clock}${timer}</clock></domain>`),
      ));
  }

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
      const file = at("domain.xml");
      writeFileSync(file, await transformed(windowsDomainXslt({ kvm }), input));
      await execa("virt-xml-validate", [file, "domain"]);
    });
  }
});
