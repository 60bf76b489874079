import { diffProperties } from "./property-diff.ts";
import type { PropertyMap } from "./property-value.ts";
import type { Difference } from "./resource-type.ts";

/** Settings that belong to the engine: which plugin to load, and its own marks. */
const ENGINE_SETTINGS: ReadonlySet<string> = new Set([
  "version",
  "pluginDownloadURL",
  "pluginChecksums",
  "__internal",
]);

/** The settings of a provider without those of the engine. */
export function ownSettings(settings: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !ENGINE_SETTINGS.has(name)),
  );
}

/** What changed in a provider's settings. @param replacing settings whose change replaces all of its resources */
export function diffSettings(
  olds: PropertyMap,
  news: PropertyMap,
  replacing: readonly string[],
): Difference {
  const changes = diffProperties(ownSettings(olds), ownSettings(news)).map((change) => ({
    ...change,
    replaces: replacing.includes(String(change.keys[0])),
  }));
  return { changes, deleteBeforeReplace: false };
}
