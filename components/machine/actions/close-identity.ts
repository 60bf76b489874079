/**
 * Host action: makes a machine's identity disk one that only its owner may read, QEMU's user once a machine has it: the SSH
 * host key is on it. Content and place stay.
 *
 * libvirt's provider 0.8.3 makes every volume for everybody to read (newDefVolume in its volume_def.go), and libvirt can't
 * change that of a volume that is there: so it is taken away and made again. It may be missing after a failure, or a kill in
 * between: the next `up` sees that, and replaces it with what stands on it.
 */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";
import { below, readXml } from "../../../host/read-xml.ts";
import { virsh } from "../../../host/virsh.ts";
import { runAction } from "../../host-action/run-action.ts";

export const environment = {
  VOLUME: z.object({ uri: z.string(), pool: z.string(), name: z.string() }),
};

await runAction(environment, async ({ VOLUME: { uri, pool, name } }) => {
  const is = readXml(await virsh(uri, "vol-dumpxml", "--pool", pool, name));
  const modes = below(is, "volume", "target", "permissions", "mode");
  if (modes.some(({ text }) => /^0?600$/.test(text))) return;
  // mkdtemp makes it for its owner alone.
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-volume-"));
  try {
    const content = path.join(folder, "content");
    const description = path.join(folder, "volume.xml");
    await virsh(uri, "vol-download", "--pool", pool, name, content);
    await writeFile(description, volumeXml(name, (await stat(content)).size));
    await virsh(uri, "vol-delete", "--pool", pool, name);
    await virsh(uri, "vol-create", pool, description);
    await virsh(uri, "vol-upload", "--pool", pool, name, content);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function volumeXml(name: string, bytes: number): string {
  return `<volume>
  <name>${name}</name>
  <capacity unit="bytes">${bytes}</capacity>
  <target>
    <format type="raw"/>
    <permissions><mode>0600</mode></permissions>
  </target>
</volume>
`;
}
