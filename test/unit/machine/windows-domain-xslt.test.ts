import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { execa } from "execa";
import { domainXslt } from "../../../components/machine/libvirt/domain-xslt.ts";
import { windowsDomainXslt } from "../../../components/machine/libvirt/windows-domain-xslt.ts";
import { inNewFolder } from "../new-folder.ts";

/** What libvirt's provider 0.8.3 renders (newDomainDef in its domain_def.go) for a machine of ours. */
const rendered = readFileSync(new URL("rendered-domain.xml", import.meta.url), "utf8");

const variables = "/var/lib/libvirt/qemu/nvram/kindows-dev-win-1_VARS.fd";
/** As the provider renders `firmware` and `nvram` (setFirmware in its domain.go). */
const firmware = `  <loader readonly="yes" secure="no" type="pflash">/CODE.fd</loader>
    <nvram template="/VARS.fd">${variables}</nvram>
  </os>`;

/** Writes the profile of each machine where AppArmor is on; part of Debian's and Ubuntu's libvirt. */
const appArmorHelper = "/usr/lib/libvirt/virt-aa-helper";

describe("what is made of the domain that libvirt's provider renders", () => {
  const at = inNewFolder();

  async function transformed(xslt: string, input = rendered): Promise<string> {
    writeFileSync(at("a.xslt"), xslt);
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "-"], { cwd: at(), input });
    return `${stdout}\n`;
  }

  /** Without what only the writing differs in. */
  const plain = (xml: string): string =>
    xml.replaceAll(/<(\w+)((?:[^<>]*[^<>/])?)><\/\1>/g, "<$1$2/>").replaceAll(/\s*\n\s*/g, "");
  const chain = ["/pool/overlay.qcow2", "/pool/base.qcow2"];
  const windows = (kvm: boolean): string => windowsDomainXslt(chain, { kvm });
  /** As rendered, with the disk and the identity disk as every machine has them. */
  const withDisks = (identityBus: string): string =>
    plain(rendered)
      .replace('type="volume"', 'type="file"')
      .replace(
        '<source pool="kindows-dev" volume="kindows-dev-win-1.qcow2"/>',
        '<source file="/pool/overlay.qcow2"/><backingStore type="file"><format type="qcow2"/>' +
          '<source file="/pool/base.qcow2"/><backingStore/></backingStore>',
      )
      .replace('<target dev="hdd" bus="ide"/>', `<target dev="sda" bus="${identityBus}"/>`);

  it("has for a rehearsal and for Linux its files, the identity disk on virtio-scsi, and the rest as it was", async () =>
    assert.equal(
      plain(await transformed(domainXslt(chain))),
      withDisks("scsi").replace(
        "</devices>",
        '<controller type="scsi" index="0" model="virtio-scsi"/></devices>',
      ),
    ));

  const enlightenments =
    '<hyperv><relaxed state="on"/><vapic state="on"/><spinlocks state="on" retries="4095"/>' +
    '<vpindex state="on"/><runtime state="on"/><synic state="on"/>' +
    '<stimer state="on"><direct state="on"/></stimer><frequencies state="on"/>' +
    '<tlbflush state="on"/><ipi state="on"/></hyperv><vmport state="off"/>';
  // The screen for this host only.
  const devices =
    '<input type="tablet" bus="usb"/><graphics type="vnc" autoport="yes" listen="127.0.0.1">' +
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
        plain(await transformed(windows(kvm))),
        withDisks("sata")
          .replace("</features>", `${features}</features>`)
          .replace('type="qcow2"/>', 'type="qcow2" discard="unmap"/>')
          .replace('<graphics type="spice" autoport="yes"/>', "")
          .replace("</devices>", `${devices}</devices>`)
          .replace("</domain>", `${clock}${timer}</clock></domain>`),
      ));
  }

  it("has UEFI's program and settings as they were", async () => {
    const kvm = await transformed(windows(true));
    assert.equal(
      await transformed(windows(true), rendered.replace("</os>", firmware)),
      kvm.replace("</os>", firmware),
    );
  });

  const withUefi = rendered.replace("</os>", firmware);
  for (const [name, xslt, input] of [
    ["Linux and the rehearsal", domainXslt(chain), rendered],
    ["Windows with KVM", windows(true), rendered],
    ["Windows, emulated", windows(false), rendered],
    ["Windows with UEFI", windows(true), withUefi],
  ] as const) {
    it(`is one that libvirt's schema knows: ${name}`, async () => {
      const file = at("domain.xml");
      writeFileSync(file, await transformed(xslt, input));
      await execa("virt-xml-validate", [file, "domain"]);
    });

    it(`has files that libvirt's own helper lets QEMU open under AppArmor: ${name}`, async function () {
      if (!existsSync(appArmorHelper)) this.skip();
      const uuid = "09d20f58-ee0c-4f75-9ff6-3fef05273f1c";
      const domain = await transformed(
        xslt,
        input.replace("</name>", `</name><uuid>${uuid}</uuid>`),
      );
      const options = ["--create", "--dryrun", "--uuid", `libvirt-${uuid}`];
      const { stderr: profile } = await execa(appArmorHelper, options, { input: domain });
      const needed = [
        '"/pool/overlay.qcow2" rwk',
        '"/pool/base.qcow2" rk',
        '"/pool/identity.iso" rk',
        ...(input === withUefi ? ['"/CODE.fd" rk', `"${variables}" rwk`] : []),
      ];
      assert.deepEqual(
        needed.filter((rule) => !profile.includes(`  ${rule},\n`)),
        [],
        profile,
      );
    });
  }
});
