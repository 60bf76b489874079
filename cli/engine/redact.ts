/** Replacement for secrets. */
const mask = "[redacted]";

/** A lab's secrets in texts, also escaped within JSON, or truncated. */
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
  return kinds.reduce((text, { pattern, shown }) => text.replaceAll(pattern, shown), line);
}
