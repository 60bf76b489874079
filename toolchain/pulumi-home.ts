import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";

import { localFolder } from "./project.ts";

/** One executable that the engine looks for in its home. */
export interface HomeLink {
  /** Place below the home. */
  readonly place: string;
  /** Absolute path of the executable. */
  readonly target: string;
}

/** What the engine calls its home; the same in `cli/engine`. */
export const pulumiHome = path.join(localFolder, "pulumi");

/**
 * Place of an engine plugin. The engine skips folders that are links, so each is a real one with a link inside.
 *
 * @param executable name of the file, e.g. `pulumi-resource-command`.
 */
export function pluginPlace(
  kind: "language" | "resource",
  name: string,
  version: string,
  executable: string,
): string {
  return path.join("plugins", `${kind}-${name}-v${version}`, executable);
}

/** Place where the engine's Terraform plugin finds the provider that would else be fetched from the registry. */
export function terraformProviderPlace(name: string, version: string): string {
  const [, shortName = name] = name.split("/");
  return path.join(
    "dynamic_tf_plugins/registry.opentofu.org",
    name,
    version,
    "linux_amd64",
    `terraform-provider-${shortName}_v${version}`,
  );
}

/**
 * Makes the home hold exactly these plugins: missing and changed links are made, other plugins removed. Everything else
 * in the home (credentials, logs) is left alone.
 */
export async function assemblePulumiHome(
  links: readonly HomeLink[],
  home: string = pulumiHome,
): Promise<void> {
  for (const { place, target } of links) {
    await replaceLink(path.join(home, place), target);
  }
  const wanted = new Set(
    links
      .map((link) => link.place.split(path.sep))
      .flatMap(([top, plugin]) => (top === "plugins" && plugin !== undefined ? [plugin] : [])),
  );
  const plugins = path.join(home, "plugins");
  for (const name of await readdir(plugins).catch(() => [] as string[])) {
    if (!wanted.has(name)) {
      await rm(path.join(plugins, name), { recursive: true, force: true });
    }
  }
}

async function replaceLink(file: string, target: string): Promise<void> {
  const current = await readlink(file).catch(() => undefined);
  if (current === target) {
    return;
  }
  await mkdir(path.dirname(file), { recursive: true });
  if ((await lstat(file).catch(() => undefined))?.isDirectory()) {
    await rm(file, { recursive: true });
  }
  const aside = `${file}.${process.pid}`;
  await rm(aside, { force: true });
  await symlink(target, aside);
  await rename(aside, file);
}
