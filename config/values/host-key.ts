import type { Complaint } from "../problem.ts";

/** Types of host keys that both command plugins can pin; these exclude certificates and DSA. */
const types = [
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
];

const instead =
  "Write the key as `./kindows host-key ADDRESS` prints it: ssh-ed25519 AAAA... on one line.";

export function hostKey(value: string): Complaint | undefined {
  const text = value.trim();
  if (/^(SHA256|MD5):/.test(text)) return { why: "is a key's fingerprint, not the key", instead };
  if (text.includes("PRIVATE KEY")) {
    return { why: "is a private key, which must never leave its machine", instead };
  }
  if (/[\r\n]/.test(text)) return { why: "has several lines", instead };
  const [type = "", data = "", after] = text.split(/\s+/);
  if (!types.includes(type)) {
    return types.includes(data) && after !== undefined
      ? {
          why: "is a line of known_hosts, with a host's name before the key",
          instead: `Write what follows the name: ${data} ${after.slice(0, 12)}...`,
        }
      : { why: `does not begin with a type of key (${types.join(", ")})`, instead };
  }
  return typeInside(data) === type
    ? undefined
    : { why: `has no valid ${type} key after its type: it is cut off or mistyped`, instead };
}

/**
 * The type named inside an encoded public key; undefined if the key is incomplete. A key is a sequence of strings, each
 * preceded by its length (RFC 4253, section 6.6).
 */
function typeInside(base64: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const strings: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) return undefined;
    strings.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return at === bytes.length && strings.length >= 2 ? strings[0]?.toString("latin1") : undefined;
}

/** Placeholder for an invalid key, different for each list entry, in SSH's encoding (RFC 4253, section 6.6). */
export function someHostKey(index: number): string {
  const type = "ssh-ed25519";
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, type.length]), Buffer.from(type)]);
  const key = Buffer.alloc(36);
  key.writeUInt32BE(32, 0);
  key.writeUInt32BE(index, 32);
  return `${type} ${Buffer.concat([bytes, key]).toString("base64")}`;
}
