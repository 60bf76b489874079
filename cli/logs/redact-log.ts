import { redact } from "../engine/redact.ts";

/** Replacement for secrets. */
const mask = "[redacted]";

/**
 * The secrets that a machine itself redacts (`Hide-Secret` in components/windows/steps/lib/LogFiles.ps1), for texts that
 * were read directly; `redact` knows the others.
 */
const name = "((?:client-key-data|bearer|password|authorization)";
const sign = String.raw`\\*["']?\s*[:=]\s*`;
const scheme = String.raw`(?:(?:bearer|basic|negotiate|digest|ntlm)\s+)?`;
const kinds: readonly { readonly pattern: RegExp; readonly shown: string }[] = [
  ...[
    // The quoted value after a name; then in escaped quotes, in single quotes, and without any.
    String.raw`${name}${sign}")(?:\\.|[^"\\])*`,
    String.raw`${name}${sign}\\+")(?:\\(?!\\*")|[^"\\])*`,
    String.raw`${name}${sign}')[^']*`,
    String.raw`${name}["'\\]*(?:\s*[:=]+\s*|\s+))${scheme}(?!'|\\*"|[:=])[^\s",]+`,
  ].map((pattern) => ({ pattern: new RegExp(pattern, "gi"), shown: `$1${mask}` })),
  // Scripts of an earlier version redact the scheme only.
  { pattern: /(authorization["\\:=\s]+\[redacted\])[ \t]+[^\s",]+/gi, shown: "$1" },
  // The user and password of a proxy's address.
  { pattern: /:\/\/[^/@\s]+@/g, shown: `://${mask}@` },
];

/** A text of a node's logs without tokens, keys and passwords. */
export function redactLog(text: string): string {
  return kinds.reduce((shown, kind) => shown.replaceAll(kind.pattern, kind.shown), redact(text));
}
