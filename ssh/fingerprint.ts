import { createHash } from "node:crypto";

/** As ssh-keygen -l prints it. */
export function fingerprint(hostKey: string): string {
  const key = Buffer.from(hostKey.trim().split(/\s+/)[1] ?? "", "base64");
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
