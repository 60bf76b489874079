import { realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { bundledPlugins } from "../plugins/catalog.ts";
import type { BundledPlugin } from "../plugins/catalog.ts";
import { pulumiHome } from "./pulumi-home.ts";
import { isExecutable } from "./search-path.ts";
import { findInstalled } from "./tools/installed.ts";
import { pulumi } from "./tools/table.ts";

/** Where the engine's plugins come from. */
export type PluginSource = "official" | "bundled";

/** A plugin, and the official executable of it if that is taken; without one it is the bundled plugin. */
export interface ChosenPlugin {
  readonly plugin: BundledPlugin;
  readonly official: string | undefined;
}

/**
 * Reads `KINDOWS_PLUGINS`: `official` or `bundled`. Without it each plugin is the official one where this host has it,
 * and else the bundled one.
 *
 * @throws on any other value.
 */
export function pluginSource(environment: NodeJS.ProcessEnv): PluginSource | undefined {
  const value = environment.KINDOWS_PLUGINS;
  switch (value) {
    case undefined:
    case "":
      return undefined;
    case "official":
    case "bundled":
      return value;
    default:
      throw new Error(`KINDOWS_PLUGINS is "${value}": it may be "official" or "bundled"`);
  }
}

/**
 * Chooses for each plugin.
 *
 * @param places absolute paths at which the official plugin, in exactly the version of the bundled one, may lie.
 * @throws with `official`, naming every plugin that this host lacks and how it is had.
 */
export async function choosePlugins(
  source: PluginSource | undefined,
  places: (plugin: BundledPlugin) => Promise<readonly string[]> = placesOnThisHost,
): Promise<readonly ChosenPlugin[]> {
  const chosen: ChosenPlugin[] = [];
  for (const plugin of bundledPlugins) {
    const candidates = source === "bundled" ? [] : await places(plugin);
    const there = await Promise.all(candidates.map(isExecutable));
    chosen.push({ plugin, official: candidates.find((_, i) => there[i]) });
  }
  const lacking = chosen.filter((each) => each.official === undefined);
  if (source === "official" && lacking.length > 0) {
    const ways = lacking.map(({ plugin }) => `  ${plugin.name}: ${howToGet(plugin)}`);
    throw new Error(
      `KINDOWS_PLUGINS is "official", but plugins are missing on this host:\n${ways.join("\n")}`,
    );
  }
  return chosen;
}

/**
 * Version under which the engine's home lists a plugin. The language host comes with the engine and has no version of
 * its own.
 */
export function homeVersion(plugin: BundledPlugin): string {
  return plugin.kind === "language" ? pulumi.tool.version : plugin.version;
}

async function placesOnThisHost(plugin: BundledPlugin): Promise<readonly string[]> {
  if (plugin.kind === "language") {
    // It lies beside the engine it belongs to, and has no version that it could be asked for.
    const engine = await findInstalled(pulumi.tool);
    return "file" in engine
      ? [path.join(path.dirname(await realpath(engine.file)), plugin.executable)]
      : [];
  }
  const home = process.env.PULUMI_HOME ?? "";
  // A shell with `kindows env` has our own home there, which is not the host's.
  const homes = [home === pulumiHome ? "" : home, path.join(os.homedir(), ".pulumi")];
  const folder = `${plugin.kind}-${plugin.name}-v${plugin.version}`;
  return homes
    .filter((each) => each !== "")
    .map((each) => path.join(each, "plugins", folder, plugin.executable));
}

function howToGet(plugin: BundledPlugin): string {
  return plugin.kind === "language"
    ? `install Pulumi ${pulumi.tool.version} and put it on the PATH`
    : `pulumi plugin install ${plugin.kind} ${plugin.name} v${plugin.version}`;
}
