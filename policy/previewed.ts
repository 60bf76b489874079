import * as z from "zod";

import { messageOf } from "../host/failure.ts";
import {
  isArchive,
  isAsset,
  isList,
  isMap,
  isPlainMap,
  type PropertyMap,
  type PropertyValue,
  secret,
} from "../offline/plugins/protocol/property-value.ts";
import { parseJson } from "../toolchain/parse-json.ts";
import { resourceName } from "../components/urn.ts";
import { redact } from "../components/redact.ts";

/** A preview of a stack without a state: all resources that the program registers. */
export interface Previewed {
  readonly resources: readonly PreviewedResource[];
  readonly diagnostics: readonly { readonly severity: string; readonly message: string }[];
}

/** URN of another resource; empty if there is none. */
const otherUrn = z.preprocess((urn) => urn ?? "", z.string());
const list = z.preprocess((names) => names ?? [], z.array(z.string()));

/** Names of inputs: `triggers` of `triggers[*]`. */
const inputNames = list.transform((paths) => paths.map((path) => path.replace(/[.[].*/s, "")));

/** A resource as the program registers it, as the engine prints it. */
const stateSchema = z.object({
  custom: z.boolean(),
  type: z.string(),
  /** URN of its component, or of the stack. */
  parent: otherUrn,
  inputs: z.record(z.string(), z.unknown()).nullish(),
  /** Resources whose outputs an input depends on, by the input's name. */
  propertyDependencies: z.preprocess((given) => given ?? {}, z.record(z.string(), list)),
  dependencies: list,
  ignoreChanges: inputNames,
  replaceOnChanges: inputNames,
  replaceWith: list,
  deletedWith: otherUrn,
});

export interface PreviewedResource extends z.infer<typeof stateSchema> {
  readonly urn: string;
  readonly name: string;
  /** Inputs with emptied secrets. */
  readonly inputs: PropertyMap;
}

const previewSchema = z.object({
  steps: z.preprocess(
    (steps) => steps ?? [],
    z.array(z.object({ urn: z.string(), newState: stateSchema.optional() })),
  ),
  diagnostics: z.array(z.object({ severity: z.string(), message: z.string() })).nullish(),
});

/**
 * Parses the output of `pulumi preview --json`.
 *
 * @param folder folder of the project.
 * @throws if the text is something else.
 */
export function readPreview(json: string, folder: string): Previewed {
  try {
    return previewOf(JSON.parse(json), folder);
  } catch (error) {
    throw new Error(`the engine's preview cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the parsed output of `pulumi preview --json`. */
export function previewOf(read: unknown, folder: string): Previewed {
  const { steps, diagnostics } = previewSchema.parse(read);
  const resources = steps.flatMap(({ urn, newState }): PreviewedResource[] => {
    // Components do nothing themselves.
    if (newState?.custom !== true) return [];
    const inputs = shownMap((newState.inputs ?? {}) as PropertyMap, folder);
    return [{ ...newState, urn, name: resourceName(urn), inputs }];
  });
  return { resources: inOrder(resources), diagnostics: diagnostics ?? [] };
}

/** URNs of the resources that a resource depends on, through inputs or explicitly. */
function sourcesOf(resource: PreviewedResource): readonly string[] {
  return [...Object.values(resource.propertyDependencies).flat(), ...resource.dependencies];
}

/**
 * Sorts resources, so that the same program has the same order and a comment in a pull request does not change by itself:
 * dependencies come first, a machine's resources stay together, and otherwise names decide (`win-2` before `win-10`). The
 * engine reports them as they happen to arrive.
 */
function inOrder(resources: readonly PreviewedResource[]): readonly PreviewedResource[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const { compare } = new Intl.Collator("en", { numeric: true });
  const ordered: PreviewedResource[] = [];
  const seen = new Set<PreviewedResource>();
  const visit = (some: readonly PreviewedResource[]): void => {
    const byName = some.toSorted((a, b) => compare(a.name, b.name) || compare(a.urn, b.urn));
    for (const resource of byName) {
      if (seen.has(resource)) continue;
      seen.add(resource);
      visit(
        [...sourcesOf(resource), ...resource.replaceWith].flatMap((urn) => byUrn.get(urn) ?? []),
      );
      ordered.push(resource);
    }
  };
  visit(resources);
  return ordered;
}

const ownProperties: ReadonlySet<string> = new Set(["__internal", "__defaults"]);

/**
 * An input without its secrets. JSON in a text is parsed, because commands receive their parameters like that.
 *
 * @param folder folder of the project, which differs in each preview and is shown as `.`.
 */
function shownValue(value: PropertyValue, folder: string): PropertyValue {
  if (typeof value === "string") return shownText(value, folder);
  if (isList(value)) return value.map((each) => shownValue(each, folder));
  if (!isMap(value)) return value;
  // Only the hash of its content is shown, which may contain a key.
  if (isAsset(value) || isArchive(value)) return { hash: value["hash"] ?? null };
  return isPlainMap(value) ? shownMap(value, folder) : secret(null);
}

function shownMap(map: PropertyMap, folder: string): PropertyMap {
  const shown = Object.entries(map).filter(([key]) => !ownProperties.has(key));
  return Object.fromEntries(shown.map(([key, each = null]) => [key, shownValue(each, folder)]));
}

function shownText(raw: string, folder: string): PropertyValue {
  if (raw === "[secret]") return secret(null);
  // Secrets should be marked as such by the program, but a public document must not rely on that.
  const text = redact(raw.replaceAll(folder, "."));
  const parsed = /^[[{]/.test(text) ? parseJson(text) : undefined;
  return parsed === undefined ? text : shownValue(parsed as PropertyValue, folder);
}
