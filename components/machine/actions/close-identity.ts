/**
 * Host action: makes a machine's identity disk readable for its owner only, because the SSH host key is on it. Once a
 * machine uses it, the owner is QEMU's user. Content and path stay the same.
 *
 * The libvirt provider 0.8.3 makes every volume world-readable (newDefVolume in its volume_def.go), and libvirt cannot
 * change the mode of an existing volume. So the volume is deleted and made again. If the action fails or is killed in
 * between, the volume is missing. The next `up` notices this and replaces the volume and the machine.
 */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";
import { below, readXml } from "../../../host/read-xml.ts";
import { xmlText } from "../../../host/xml-text.ts";
import { virsh } from "../../../host/virsh.ts";
import { runAction } from "../../host-action/run-action.ts";

export const environment = {
  VOLUME: z.object({ uri: z.string(), pool: z.string(), name: z.string() }),
};

await runAction(environment, async ({ VOLUME: { uri, pool, name } }) => {
  const current = readXml(await virsh(uri, "vol-dumpxml", "--pool", pool, name));
  const modes = below(current, "volume", "target", "permissions", "mode");
  if (modes.some(({ text }) => /^0?600$/.test(text))) return;
  // mkdtemp makes a folder that only its owner can read.
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
  <name>${xmlText(name)}</name>
  <capacity unit="bytes">${bytes}</capacity>
  <target>
    <format type="raw"/>
    <permissions><mode>0600</mode></permissions>
  </target>
</volume>
`;
}
