const mask = "[redacted]";

const kinds: readonly { readonly pattern: RegExp; readonly shown: string }[] = [
  {
    pattern:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\s]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
    shown: mask,
  },
  { pattern: /(client-key-data["\\:\s]+)[A-Za-z0-9+/=]+/g, shown: `$1${mask}` },
  // Of a backend in a database.
  { pattern: /(:\/\/[^/@:\s]+):[^@/\s]+@/g, shown: `$1:${mask}@` },
  // A kubeadm bootstrap token; nothing else in a log has six and sixteen characters like this.
  { pattern: /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, shown: mask },
];

/**
 * A line of a log without private keys, a kubeconfig's key and bootstrap tokens.
 *
 * The engine's own log has the secrets that pass between engine and plugins from level 5 on.
 */
export function redact(line: string): string {
  return shown(kinds, line);
}

function shown(secrets: typeof kinds, text: string): string {
  return secrets.reduce((before, { pattern, shown: now }) => before.replaceAll(pattern, now), text);
}

/**
 * The secrets that a machine itself redacts (`Hide-Secret` in components/windows/steps/lib/LogFiles.ps1), for texts that
 * were read directly; `redact` knows the others.
 */
const name = "((?:client-key-data|bearer|password|authorization)";
const sign = String.raw`\\*["']?\s*[:=]\s*`;
const scheme = String.raw`(?:(?:bearer|basic|negotiate|digest|ntlm)\s+)?`;
const ofMachines: typeof kinds = [
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
  return shown(ofMachines, redact(text));
}
