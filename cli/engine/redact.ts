const mask = "[redacted]";

interface Redaction {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const redactions: readonly Redaction[] = [
  {
    pattern:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\s]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
    replacement: mask,
  },
  { pattern: /(client-key-data["\\:\s]+)[A-Za-z0-9+/=]+/g, replacement: `$1${mask}` },
  // The password in the URL of a database backend.
  { pattern: /(:\/\/[^/@:\s]+):[^@/\s]+@/g, replacement: `$1:${mask}@` },
  // A kubeadm bootstrap token; nothing else in a log has six and sixteen characters like this.
  { pattern: /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, replacement: mask },
];

/**
 * Removes private keys, kubeconfigs' client keys and bootstrap tokens from a line of a log.
 *
 * From level 5 on, the engine's log has the secrets that engine and plugins exchange.
 */
export function redact(line: string): string {
  return redacted(redactions, line);
}

function redacted(all: readonly Redaction[], text: string): string {
  return all.reduce(
    (rest, { pattern, replacement }) => rest.replaceAll(pattern, replacement),
    text,
  );
}

/**
 * The secrets that a machine itself redacts (`Hide-Secret` in components/windows/steps/lib/LogFiles.ps1), for logs that
 * are read directly; `redact` removes the others.
 */
const name = "((?:client-key-data|bearer|password|authorization)";
const sign = String.raw`\\*["']?\s*[:=]\s*`;
const scheme = String.raw`(?:(?:bearer|basic|negotiate|digest|ntlm)\s+)?`;
const machineRedactions: readonly Redaction[] = [
  ...[
    // The value after a name: in quotes, in escaped quotes, in single quotes, and without quotes.
    String.raw`${name}${sign}")(?:\\.|[^"\\])*`,
    String.raw`${name}${sign}\\+")(?:\\(?!\\*")|[^"\\])*`,
    String.raw`${name}${sign}')[^']*`,
    String.raw`${name}["'\\]*(?:\s*[:=]+\s*|\s+))${scheme}(?!'|\\*"|[:=])[^\s",]+`,
  ].map((pattern) => ({ pattern: new RegExp(pattern, "gi"), replacement: `$1${mask}` })),
  // Scripts of an earlier version redact the scheme only.
  { pattern: /(authorization["\\:=\s]+\[redacted\])[ \t]+[^\s",]+/gi, replacement: "$1" },
  // The user and password of a proxy's address.
  { pattern: /:\/\/[^/@\s]+@/g, replacement: `://${mask}@` },
];

/** Removes tokens, keys and passwords from a text of a node's logs. */
export function redactLog(text: string): string {
  return redacted(machineRedactions, redact(text));
}
