import { diffProperties, type PropertyChange } from "../protocol/property-diff.ts";
import { type PropertyMap, sameValue, scalarText, unwrap } from "../protocol/property-value.ts";
import type { Difference } from "../protocol/resource-type.ts";
import { isAutonamed, metadataOf } from "./checked-inputs.ts";
import type { Kind } from "./kinds.ts";
import type { Settings } from "./settings.ts";

/**
 * What changed from the old inputs to the new ones, without asking the API server. The old inputs follow the live
 * object at every refresh, so that drift shows here too.
 */
export function diffObject(
  kind: Kind,
  settings: Pick<Settings, "configMapMutable" | "secretMutable">,
  oldInputs: PropertyMap,
  news: PropertyMap,
): Difference {
  const olds = canonical(kind, oldInputs);
  const wanted = canonical(kind, news);
  const replacing = [
    ["metadata", "name"],
    ["metadata", "namespace"],
    ...kind.immutable,
    ...immutableData(kind, settings, oldInputs, news),
  ];
  const changes = diffProperties(olds, wanted).map((change) => ({
    ...change,
    replaces: replacing.some((path) => touches(change, path)),
  }));
  const [before, after] = [metadataOf(olds), metadataOf(wanted)];
  const sameIdentity =
    sameValue(before["name"], after["name"]) && sameValue(before["namespace"], after["namespace"]);
  return { changes, deleteBeforeReplace: sameIdentity && !isAutonamed(news) };
}

/** A namespace that is not written is `default`; a cluster-wide object has none. */
function canonical(kind: Kind, inputs: PropertyMap): PropertyMap {
  const { namespace, ...metadata } = metadataOf(inputs);
  const bare = { ...inputs, metadata };
  if (!kind.namespaced) return bare;
  return { ...inputs, metadata: { ...metadata, namespace: unwrap(namespace) ?? "default" } };
}

/** Data of ConfigMaps and Secrets is replaced with its object, unless the provider's settings say otherwise. */
function immutableData(
  kind: Kind,
  settings: Pick<Settings, "configMapMutable" | "secretMutable">,
  oldInputs: PropertyMap,
  news: PropertyMap,
): readonly (readonly string[])[] {
  const frozen = [oldInputs, news].some((inputs) => scalarText(inputs["immutable"]) === "true");
  if (kind.kind === "ConfigMap" && (frozen || !settings.configMapMutable)) {
    return [["data"], ["binaryData"]];
  }
  if (kind.kind === "Secret" && (frozen || !settings.secretMutable)) {
    return [["data"], ["stringData"]];
  }
  return [];
}

/** Whether a change is at a path, below it, or above it. */
function touches(change: PropertyChange, path: readonly string[]): boolean {
  const length = Math.min(change.keys.length, path.length);
  return path.slice(0, length).every((key, index) => change.keys[index] === key);
}
