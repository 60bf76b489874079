import type { BundledPlugin } from "../plugins/catalog.ts";
import { pulumi } from "./tools/table.ts";

/** Where the engine's plugins come from. */
export type PluginSource = "official" | "bundled";

/**
 * Reads `KINDOWS_PLUGINS`: `official` or `bundled`. Default: each plugin is the official one if it is available, else the
 * bundled one.
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
 * Version under which the engine's home lists a plugin. The language host comes with the engine and has no version of
 * its own.
 */
export function homeVersion(plugin: BundledPlugin): string {
  return plugin.kind === "language" ? pulumi.tool.version : plugin.version;
}
