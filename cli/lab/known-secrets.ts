import * as z from "zod";

import { parseJson } from "../../toolchain/parse-json.ts";
import type { StateResource } from "../engine/deployment.ts";

/** How the engine marks a secret in an export with `--show-secrets`. */
const secretSchema = z.object({
  "4dabf18193072939515e22adb298388d": z.literal("1b47061264138c4ac30d75fd1eb44270"),
  plaintext: z.string(),
});

/** The value of a secret in a state that was exported with secrets; undefined for anything else. */
export function secretValue(value: unknown): { readonly is: unknown } | undefined {
  const { data } = secretSchema.safeParse(value);
  return data === undefined ? undefined : { is: parseJson(data.plaintext) };
}

/** The secret values of a state that was exported with secrets, as texts. */
export function secretsOf(resources: readonly StateResource[]): readonly string[] {
  const found = resources.flatMap(({ inputs, outputs }) => [...within(inputs), ...within(outputs)]);
  return [...new Set(found)];
}

function within(value: unknown): readonly string[] {
  const secret = secretValue(value);
  if (secret !== undefined) return textsOf(secret.is);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(within) : [];
}

/** Parts of a secret connection that may be shown: a log without its addresses says little. */
const shownParts: ReadonlySet<string> = new Set(["host", "hostKey", "user"]);

function textsOf(value: unknown): readonly string[] {
  const nested = secretValue(value);
  if (nested !== undefined) return textsOf(nested.is);
  if (typeof value === "string") {
    const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
    return [value, ...(typeof inner === "object" ? textsOf(inner) : [])];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    shownParts.has(name) ? [] : textsOf(each),
  );
}

/** Shorter texts occur by chance, and a log without them could not be read. */
const shortest = 6;

/** What looks random in a text of several words, e.g. a line of a key or the token in a kubeconfig. */
const random = /(?=[A-Za-z+/=]*[0-9])[A-Za-z0-9+/=]{20,}/g;

/**
 * Returns a function that replaces secrets in a text: as they are, escaped in JSON once and twice, and in base64 at each
 * offset. Of a text of several words also those are replaced that look random, because programs print such parts alone.
 */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const texts = secrets.flatMap((secret) => [
    secret.trim(),
    ...(/\s/.test(secret.trim()) ? (secret.match(random) ?? []) : []),
  ]);
  const written = texts.filter((text) => text.length >= shortest).flatMap(writtenForms);
  const longestFirst = [...new Set(written)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, each) => rest.replaceAll(each, "[redacted]"), text);
}

function writtenForms(text: string): readonly string[] {
  const once = JSON.stringify(text).slice(1, -1);
  return [text, once, JSON.stringify(once).slice(1, -1), ...base64Forms(text)];
}

/** What of a text's base64 does not depend on the bytes before and behind it, for each place in a group of three. */
function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const certain = whole
      .toString("base64")
      .slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
    return certain.length >= shortest ? [certain] : [];
  });
}
