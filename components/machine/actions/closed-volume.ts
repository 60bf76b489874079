import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { below, readXml } from "../../../host/read-xml.ts";
import { virsh } from "../../../host/virsh.ts";

/** For its owner only: QEMU's user, once a machine has it. */
const mode = "0600";
const isClosed = /^0?600$/;

/**
 * Makes a volume one that only its owner may read, its content and place unchanged.
 *
 * libvirt's provider 0.8.3 makes every volume for everybody to read (newDefVolume in its volume_def.go), and libvirt can't
 * change that of a volume that is there: so it is taken away and made again.
 *
 * @throws with virsh's own last words; the volume may be missing then, as after a kill in between: the next `up` sees
 * that, and replaces it with what stands on it.
 */
export async function closeVolume(uri: string, pool: string, name: string): Promise<void> {
  const is = readXml(await virsh(uri, "vol-dumpxml", "--pool", pool, name));
  if (
    below(is, "volume", "target", "permissions", "mode").some(({ text }) => isClosed.test(text))
  ) {
    return;
  }
  // mkdtemp makes it for its owner alone.
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-volume-"));
  try {
    const content = path.join(folder, "content");
    const description = path.join(folder, "volume.xml");
    await virsh(uri, "vol-download", "--pool", pool, name, content);
    await writeDescription(description, name, (await stat(content)).size);
    await virsh(uri, "vol-delete", "--pool", pool, name);
    await virsh(uri, "vol-create", pool, description);
    await virsh(uri, "vol-upload", "--pool", pool, name, content);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeDescription(file: string, name: string, bytes: number): Promise<void> {
  await writeFile(
    file,
    `<volume>
  <name>${name}</name>
  <capacity unit="bytes">${bytes}</capacity>
  <target>
    <format type="raw"/>
    <permissions><mode>${mode}</mode></permissions>
  </target>
</volume>
`,
  );
}
