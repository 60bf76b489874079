import { createHash } from "node:crypto";
import ssh2 from "ssh2";
import { withoutSha1 } from "./algorithms.ts";

export function fingerprint(hostKey: string): string {
  return fingerprintOf(Buffer.from(hostKey.trim().split(/\s+/)[1] ?? "", "base64"));
}

export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

const milliseconds = 15_000;

/**
 * Reads a server's host key, `ssh-ed25519 AAAA...`, without logging in.
 *
 * @throws if it does not answer or shows no key.
 */
export function learnHostKey(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    let shown: string | undefined;
    const end = (error?: Error): void => {
      client.removeAllListeners();
      client.on("error", () => undefined);
      client.destroy();
      if (shown === undefined) reject(error ?? new Error("it shows no host key"));
      else resolve(shown);
    };
    client.on("error", end);
    client.on("close", () => {
      end();
    });
    client.connect({
      host,
      port,
      username: "host-key",
      readyTimeout: milliseconds,
      algorithms: withoutSha1,
      hostVerifier: (key: Buffer) => {
        const length = key.readUInt32BE(0);
        shown = `${key.toString("latin1", 4, 4 + length)} ${key.toString("base64")}`;
        return false;
      },
    });
  });
}
