import type { Drive } from "../drive.ts";

/** First line of the files the step writes; files without it are somebody else's. */
const mark = "# Written by kindows (Install-Containerd); changes are lost.";

/** A registry's hosts.toml: its mirrors in their order. */
export function registryHostsFile(mirrors: readonly string[]): string {
  const hosts = mirrors.flatMap((address) => [
    "",
    `[host."${address}"]`,
    '  capabilities = ["pull", "resolve"]',
  ]);
  return `${[mark, ...hosts].join("\n")}\n`;
}

/**
 * Writes the mirrors' files and removes those of registries that have none any more; whether anything differed.
 *
 * @param mirrors `registry=address[,address...]` entries separated by semicolons.
 */
export async function setRegistryMirrors(
  drive: Drive,
  folder: string,
  mirrors: string,
): Promise<boolean> {
  const wanted = new Map(
    mirrors
      .split(";")
      .filter((entry) => entry !== "")
      .map((entry) => {
        const [registry = "", addresses = ""] = entry.split("=", 2);
        const name = registry.replace(/^(.+):([0-9]+)$/, "$1_$2_");
        return [name, registryHostsFile(addresses.split(","))] as const;
      }),
  );
  let changed = false;
  for (const [name, text] of wanted) {
    if (await drive.writeIfChanged(`${folder}\\${name}\\hosts.toml`, text)) changed = true;
  }
  for (const name of await drive.folderNames(folder)) {
    const path = `${folder}\\${name}\\hosts.toml`;
    if (wanted.has(name) || !(await drive.readText(path))?.startsWith(mark)) continue;
    await drive.remove(path);
    changed = true;
  }
  return changed;
}
