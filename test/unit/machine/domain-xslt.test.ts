import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { domainXslt } from "../../../components/machine/domain-xslt.ts";

/** What the provider renders for a domain with an identity disk, less what is of no interest here. */
const rendered = `<domain type="qemu"><devices>
<disk type="volume" device="disk"><target dev="vda" bus="virtio"/></disk>
<disk type="file" device="cdrom"><source file="/x.iso"/><target dev="hdd" bus="ide"/></disk>
</devices></domain>`;

describe("domainXslt", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kindows-xslt-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("moves the identity disk to virtio-scsi and leaves the rest alone", async () => {
    await writeFile(path.join(folder, "a.xslt"), domainXslt());
    await writeFile(path.join(folder, "a.xml"), rendered);
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "a.xml"], { cwd: folder });
    assert.match(
      stdout,
      /device="cdrom">\s*<source file="\/x.iso"\/>\s*<target dev="sda" bus="scsi"\/>/,
    );
    assert.match(stdout, /<target dev="vda" bus="virtio"\/>/);
    assert.match(stdout, /<controller type="scsi" index="0" model="virtio-scsi"\/>/);
    assert.doesNotMatch(stdout, /ide/);
  });
});
