import { redact } from "../engine/redact.ts";

/** A value that a preview does not know before `up`: what is in it depends on something that is still to be made. */
export const unknownText = "known after up";

/** A secret; its value is in no preview. */
export const secretText = "secret";

/** An input of a resource, without what must not or cannot be shown. */
export type Value =
  | { readonly hidden: typeof unknownText | typeof secretText }
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/** What the engine writes for what is not known: pulumi/sdk/v3/go/common/resource/plugin/rpc.go, UnknownBoolValue ff. */
const unknowns: ReadonlySet<string> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Key and values that tell a special value from an object: resource/sig/sig.go. */
const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
const assetSignature = "c44067f5952c0a294b673a41bacd8c17";
const archiveSignature = "0def7320c3a5731c473e5ecbe6d01bc7";

/** Properties that the engine keeps for itself. */
const ownProperties: ReadonlySet<string> = new Set(["__internal", "__defaults"]);

/**
 * An input as it may be shown. JSON in a text, which is how commands get their parameters, is taken apart.
 *
 * @param folder of the project, which is another one in each preview: shown as `.`.
 */
export function valueOf(raw: unknown, folder: string): Value {
  if (typeof raw === "string") {
    return textValue(raw, folder);
  }
  if (typeof raw === "number" || typeof raw === "boolean") {
    return raw;
  }
  if (Array.isArray(raw)) {
    return raw.map((each) => valueOf(each, folder));
  }
  if (typeof raw !== "object" || raw === null) {
    return null;
  }
  const entries = Object.entries(raw as Record<string, unknown>);
  switch ((raw as Record<string, unknown>)[signature]) {
    case undefined:
      return Object.fromEntries(
        entries
          .filter(([key]) => !ownProperties.has(key))
          .map(([key, each]) => [key, valueOf(each, folder)]),
      );
    case assetSignature:
    case archiveSignature: {
      // What is in it counts, not where it lies; it may be a file with a key in it.
      const hash = entries.find(([key]) => key === "hash")?.[1];
      return { hash: typeof hash === "string" ? hash : null };
    }
    case secretSignature:
    default:
      return { hidden: secretText };
  }
}

/** Whether it, or something in it, is a secret or not known. */
export function hasHidden(value: Value | undefined): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return "hidden" in value || Object.values(value).some((each: Value) => hasHidden(each));
}

function textValue(raw: string, folder: string): Value {
  if (raw === "[secret]") {
    return { hidden: secretText };
  }
  if (unknowns.has(raw)) {
    return { hidden: unknownText };
  }
  // Nothing the program did not call a secret should be one; a document that everybody reads relies on nothing.
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
