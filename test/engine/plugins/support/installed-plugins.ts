import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundlePlugin } from "../../../../plugins/bundle.ts";
import { bundledPlugins } from "../../../../plugins/catalog.ts";

/** The tests state what the official plugins do too: KINDOWS_PLUGINS=official runs them against those. */
export const official = process.env["KINDOWS_PLUGINS"] === "official";

let home: Promise<string> | undefined;

/** A PULUMI_HOME with the plugins under test; made once and removed after all tests. */
export function pulumiHome(): Promise<string> {
  home ??= makeHome();
  return home;
}

async function makeHome(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-plugins-"));
  const plugins = path.join(folder, "plugins");
  if (official) {
    const installed = process.env["PULUMI_HOME"] ?? path.join(os.homedir(), ".pulumi");
    await symlink(path.join(installed, "plugins"), plugins);
    return folder;
  }
  for (const plugin of bundledPlugins) {
    const shortName = plugin.name.replace(/^language-/, "");
    const target = path.join(plugins, `${plugin.kind}-${shortName}-v${plugin.version}`);
    await mkdir(target, { recursive: true });
    await bundlePlugin(plugin.name, path.join(target, plugin.executable));
  }
  return folder;
}

after(async () => {
  if (home !== undefined) await rm(await home, { recursive: true, force: true });
});
