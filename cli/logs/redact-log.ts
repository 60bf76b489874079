import { redact } from "../engine/redact.ts";

/** What takes a secret's place. */
const mask = "[redacted]";

/**
 * What a machine hides from its logs by itself (`Hide-Secret` in components/windows/steps/lib/LogFiles.ps1), for texts
 * that were read without its help; `redact` knows the rest.
 */
const name = "((?:client-key-data|bearer|password|authorization)";
const sign = String.raw`\\*["']?\s*[:=]\s*`;
const scheme = String.raw`(?:(?:bearer|basic|negotiate|digest|ntlm)\s+)?`;
const kinds: readonly { readonly pattern: RegExp; readonly shown: string }[] = [
  ...[
    // All that the quotes behind a name hold; then in quotes within quotes, in single ones, and without any.
    String.raw`${name}${sign}")(?:\\.|[^"\\])*`,
    String.raw`${name}${sign}\\+")(?:\\(?!\\*")|[^"\\])*`,
    String.raw`${name}${sign}')[^']*`,
    String.raw`${name}["'\\]*(?:\s*[:=]+\s*|\s+))${scheme}(?!'|\\*"|[:=])[^\s",]+`,
  ].map((pattern) => ({ pattern: new RegExp(pattern, "gi"), shown: `$1${mask}` })),
  // Scripts of an earlier version hide the scheme only.
  { pattern: /(authorization["\\:=\s]+\[redacted\])[ \t]+[^\s",]+/gi, shown: "$1" },
  // The user and password of a proxy's address.
  { pattern: /:\/\/[^/@\s]+@/g, shown: `://${mask}@` },
];

/** A text of a node's logs without tokens, keys and passwords; the same for those collected and those followed. */
export function redactLog(text: string): string {
  return kinds.reduce((shown, kind) => shown.replaceAll(kind.pattern, kind.shown), redact(text));
}
