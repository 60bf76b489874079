import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";

import type { EnsuredArtifacts } from "./ensure.ts";
import { pulumiHome } from "./project.ts";
import { terraformBridge, terraformProviderLibvirt } from "./tools/table.ts";

interface HomeLink {
  /** Path of the link, relative to the home. */
  readonly link: string;
  readonly target: string;
}

/** The engine skips plugin folders that are links, so each is a real folder with a link inside. */
export function pluginLink(
  kind: "language" | "resource",
  name: string,
  version: string,
  executable: string,
): string {
  return path.join(`plugins/${kind}-${name.replace(/^language-/, "")}-v${version}`, executable);
}

export function libvirtLinks(ensured: EnsuredArtifacts): readonly HomeLink[] {
  const bridge = "pulumi-resource-terraform-provider";
  const provider = "terraform-provider-libvirt";
  const { version } = terraformProviderLibvirt.tool;
  return [
    {
      link: pluginLink("resource", "terraform-provider", terraformBridge.tool.version, bridge),
      target: path.join(ensured.path(terraformBridge), bridge),
    },
    {
      // The bridge looks here before it downloads the provider from the OpenTofu registry.
      link: path.join(
        ...["dynamic_tf_plugins/registry.opentofu.org/dmacvicar/libvirt", version, "linux_amd64"],
        `${provider}_v${version}`,
      ),
      target: path.join(ensured.path(terraformProviderLibvirt), provider),
    },
  ];
}

/** Makes the home contain exactly these plugins, and leaves everything else in it (credentials, logs) alone. */
export async function assemblePulumiHome(
  links: readonly HomeLink[],
  home: string = pulumiHome,
): Promise<void> {
  await linkPlugins(links, home);
  const parts = links.map(({ link }) => link.split(path.sep));
  const wanted = new Set(parts.flatMap(([top, name = ""]) => (top === "plugins" ? [name] : [])));
  const plugins = path.join(home, "plugins");
  const found = await readdir(plugins).catch(() => [] as string[]);
  for (const name of found.filter((each) => !wanted.has(each))) {
    await rm(path.join(plugins, name), { recursive: true, force: true });
  }
}

export async function linkPlugins(
  links: readonly HomeLink[],
  home: string = pulumiHome,
): Promise<void> {
  for (const { link, target } of links) await replaceLink(path.join(home, link), target);
}

async function replaceLink(file: string, target: string): Promise<void> {
  const current = await readlink(file).catch(() => undefined);
  if (current === target) return;
  await mkdir(path.dirname(file), { recursive: true });
  if ((await lstat(file).catch(() => undefined))?.isDirectory()) {
    await rm(file, { recursive: true });
  }
  const aside = `${file}.${process.pid}`;
  await rm(aside, { force: true });
  await symlink(target, aside);
  await rename(aside, file);
}
