import { redact } from "../engine/redact.ts";

/** What takes a secret's place. */
const mask = "[redacted]";

/**
 * What a machine hides from its logs by itself (`Hide-Secret` in components/windows/steps/lib/LogFiles.ps1), for texts
 * that were read without its help; `redact` knows the rest.
 */
const kinds: readonly { readonly pattern: RegExp; readonly shown: string }[] = [
  // The scheme is no secret, what comes after it is; the machine has hidden only the scheme.
  {
    pattern: /(authorization["\\:=\s]+)(?:(?:bearer|basic|negotiate|\[redacted\])\s+)?[^\s",]+/gi,
    shown: `$1${mask}`,
  },
  { pattern: /((?:client-key-data|bearer|password)["\\:=\s]+)[^\s",]+/gi, shown: `$1${mask}` },
  // The user and password of a proxy's address.
  { pattern: /:\/\/[^/@\s]+@/g, shown: `://${mask}@` },
];

/** A text of a node's logs without tokens, keys and passwords; the same for those collected and those followed. */
export function redactLog(text: string): string {
  return kinds.reduce((shown, kind) => shown.replaceAll(kind.pattern, kind.shown), redact(text));
}
