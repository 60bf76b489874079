import type { Complaint } from "../problem.ts";

const instead =
  "Write an OpenSSH or PEM private key, which begins with -----BEGIN ... PRIVATE KEY-----.";

/** Checks a private key; errors never show its content. @param hasPassphrase whether the settings give a passphrase. */
export function privateKey(value: string, hasPassphrase: boolean): Complaint | undefined {
  const text = value.trim();
  if (/^(ssh-|ecdsa-)/.test(text)) {
    return { why: "is a public key", instead: "Give the private key, the file without .pub." };
  }
  if (text.startsWith("PuTTY-User-Key-File-")) {
    return {
      why: "is a key in PuTTY's own format",
      instead: "Convert it: puttygen KEY.ppk -O private-openssh -o KEY.",
    };
  }
  const [, kind] = /^-----BEGIN ([A-Z ]*)PRIVATE KEY-----\r?\n/.exec(text) ?? [];
  if (kind === undefined) return { why: "is not a private key", instead };
  if (!text.endsWith(`-----END ${kind}PRIVATE KEY-----`)) {
    return { why: "is cut off: its last line is missing", instead };
  }
  if (isEncrypted(text, kind) && !hasPassphrase) {
    return {
      why: "is encrypted",
      instead: "Give its passphrase as a secret under privateKeyPassphrase, or use the agent.",
    };
  }
  return undefined;
}

/**
 * A PEM header shows encryption; OpenSSH's own format starts with the cipher's name (openssh-portable, PROTOCOL.key).
 */
function isEncrypted(text: string, kind: string): boolean {
  if (kind !== "OPENSSH ") return kind === "ENCRYPTED " || text.includes("Proc-Type: 4,ENCRYPTED");
  const bytes = Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
  const magic = "openssh-key-v1\0";
  const length = bytes.length > magic.length + 4 ? bytes.readUInt32BE(magic.length) : 0;
  return bytes.toString("latin1", magic.length + 4, magic.length + 4 + length) !== "none";
}
