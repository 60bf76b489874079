/** What takes a secret's place. */
const mask = "[redacted]";

/** Kinds of secrets a lab has, as they stand in texts: also escaped, inside JSON, and cut off. */
const kinds: readonly { readonly pattern: RegExp; readonly shown: string }[] = [
  {
    pattern:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\s]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
    shown: mask,
  },
  { pattern: /(client-key-data["\\:\s]+)[A-Za-z0-9+/=]+/g, shown: `$1${mask}` },
  // A kubeadm bootstrap token; nothing else in a log has six and sixteen characters like this.
  { pattern: /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, shown: mask },
];

/**
 * A line of a log without private keys, a kubeconfig's key and bootstrap tokens.
 *
 * For the engine's own log: from its level 5 on it writes secrets as they pass between engine and plugins.
 */
export function redact(line: string): string {
  return kinds.reduce((text, { pattern, shown }) => text.replaceAll(pattern, shown), line);
}
