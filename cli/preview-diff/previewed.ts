import * as z from "zod";

import { messageOf } from "../../host/failure.ts";
import { resourceName } from "../engine/deployment.ts";
import type { FactSource } from "../engine/facts.ts";
import { redact } from "../engine/redact.ts";

/** A preview of a stack without a state: everything the program asks for. */
export interface Previewed {
  readonly resources: readonly PreviewedResource[];
  readonly components: readonly FactSource[];
  readonly diagnostics: readonly { readonly severity: string; readonly message: string }[];
}

const list = z.preprocess((names) => names ?? [], z.array(z.string()));
const previewSchema = z.object({
  steps: z.preprocess(
    (steps) => steps ?? [],
    z.array(
      z.object({
        urn: z.string(),
        newState: z
          .object({
            custom: z.boolean(),
            type: z.string(),
            parent: z.string().nullish(),
            inputs: z.record(z.string(), z.unknown()).nullish(),
            propertyDependencies: z.record(z.string(), list).nullish(),
            dependencies: list,
            ignoreChanges: list,
            replaceOnChanges: list,
            replaceWith: list,
            deletedWith: z.string().nullish(),
          })
          .optional(),
      }),
    ),
  ),
  diagnostics: z.array(z.object({ severity: z.string(), message: z.string() })).nullish(),
});

/**
 * Parses the output of `pulumi preview --json`.
 *
 * @param folder of the project.
 * @throws if it is something else.
 */
export function readPreview(json: string, folder: string): Previewed {
  try {
    return previewOf(JSON.parse(json), folder);
  } catch (error) {
    throw new Error(`the engine's preview cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** The same of what was parsed. */
export function previewOf(read: unknown, folder: string): Previewed {
  const { steps, diagnostics } = previewSchema.parse(read);
  // Components do nothing themselves.
  const components = steps.flatMap(({ urn, newState }) =>
    newState?.custom === false ? [{ ...newState, urn }] : [],
  );
  const resources = steps.flatMap(({ urn, newState }): PreviewedResource[] => {
    if (newState?.custom !== true) return [];
    const { type, parent, inputs, dependencies, deletedWith } = newState;
    return [
      {
        urn,
        type,
        dependencies,
        name: resourceName(urn),
        parent: parent ?? "",
        inputs: valueOf(inputs ?? {}, folder) as Readonly<Record<string, Value>>,
        inputSources: newState.propertyDependencies ?? {},
        ignored: newState.ignoreChanges.map(topLevel),
        replacing: newState.replaceOnChanges.map(topLevel),
        replacedWith: newState.replaceWith,
        ...(deletedWith && { deletedWith }),
      },
    ];
  });
  return { resources: inOrder(resources), components, diagnostics: diagnostics ?? [] };
}

/** `triggers` of `triggers[*]`. */
function topLevel(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? path;
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
      const { inputSources, dependencies, replacedWith } = resource;
      const before = [...Object.values(inputSources).flat(), ...dependencies, ...replacedWith];
      visit(before.flatMap((urn) => byUrn.get(urn) ?? []));
      ordered.push(resource);
    }
  };
  visit(resources);
  return ordered;
}

export interface PreviewedResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** URN of its parent component, or of the stack. */
  readonly parent: string;
  readonly inputs: Readonly<Record<string, Value>>;
  /** Resources whose outputs an input depends on, by the input's name. */
  readonly inputSources: Readonly<Record<string, readonly string[]>>;
  readonly dependencies: readonly string[];
  readonly ignored: readonly string[];
  /** Inputs whose changes replace it according to the program. */
  readonly replacing: readonly string[];
  readonly replacedWith: readonly string[];
  readonly deletedWith?: string;
}

/** A value that is unknown before `up`, as it depends on something that does not exist yet. */
const unknownText = "known after up";

const secretText = "secret";

/** An input of a resource, without secrets and unknown values. */
export type Value =
  | { readonly hidden: typeof unknownText | typeof secretText }
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/** The engine's sentinels for unknown values: pulumi/sdk/v3/go/common/resource/plugin/rpc.go, UnknownBoolValue ff. */
const unknowns: ReadonlySet<string> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Key and values that mark a special value: resource/sig/sig.go. */
const signature = "4dabf18193072939515e22adb298388d";
const assetSignature = "c44067f5952c0a294b673a41bacd8c17";
const archiveSignature = "0def7320c3a5731c473e5ecbe6d01bc7";

const ownProperties: ReadonlySet<string> = new Set(["__internal", "__defaults"]);

/**
 * An input as it may be shown. JSON in a text, which is how commands get their parameters, is parsed.
 *
 * @param folder of the project, which differs in each preview and is shown as `.`.
 */
function valueOf(raw: unknown, folder: string): Value {
  if (typeof raw === "string") return textValue(raw, folder);
  if (typeof raw === "number" || typeof raw === "boolean") return raw;
  if (Array.isArray(raw)) return raw.map((each) => valueOf(each, folder));
  if (typeof raw !== "object" || raw === null) return null;
  const properties = raw as Record<string, unknown>;
  const { [signature]: kind, hash } = properties;
  if (kind === undefined) {
    const shown = Object.entries(properties).filter(([key]) => !ownProperties.has(key));
    return Object.fromEntries(shown.map(([key, each]) => [key, valueOf(each, folder)]));
  }
  if (kind !== assetSignature && kind !== archiveSignature) return { hidden: secretText };
  // Its content counts, not its path; it may contain a key.
  return { hash: typeof hash === "string" ? hash : null };
}

export function hasHidden(value: Value | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "hidden" in value || Object.values(value).some((each: Value) => hasHidden(each));
}

function textValue(raw: string, folder: string): Value {
  if (raw === "[secret]") return { hidden: secretText };
  if (unknowns.has(raw)) return { hidden: unknownText };
  // Secrets should be marked as such by the program, but a public document must not rely on that.
  const text = redact(raw.replaceAll(folder, "."));
  if (/^[[{]/.test(text)) {
    try {
      return valueOf(JSON.parse(text), folder);
    } catch {
      // It only looks like it.
    }
  }
  return text;
}
