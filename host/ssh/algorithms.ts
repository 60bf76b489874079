import type { ConnectConfig, ParsedKey, ServerHostKeyAlgorithm } from "ssh2";

/** Changes to ssh2's own algorithms, of which these still use SHA-1. */
export const withoutSha1 = {
  hmac: { append: [], prepend: [], remove: ["hmac-sha1", "hmac-sha1-etm@openssh.com"] },
  serverHostKey: { append: [], prepend: [], remove: ["ssh-rsa"] },
} satisfies ConnectConfig["algorithms"];

/** Signature algorithms of a pinned key. With other algorithms, the server could offer another of its keys. */
export function hostKeyAlgorithms({ type }: ParsedKey): ServerHostKeyAlgorithm[] {
  const names = type === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : [type];
  return names as ServerHostKeyAlgorithm[];
}
