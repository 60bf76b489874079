import ssh2 from "ssh2";

import type { LogSource } from "./machines.ts";

/** The most a machine may send: an archive of a few MiB, in base64. */
const longestOutput = 128 * 1024 * 1024;

/**
 * What a command writes to standard output on a machine.
 *
 * @throws when it can't be reached, has another host key, ends with another exit code than 0, writes too much, or takes
 * too long; with the end of what it wrote to standard error.
 */
export async function runOverSsh(
  source: LogSource,
  command: string,
  timeoutSeconds: number,
): Promise<string> {
  const client = new ssh2.Client();
  const pinned = Buffer.from(source.hostKey.trim().split(/\s+/)[1] ?? "", "base64");
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no end within ${timeoutSeconds} s`));
      }, timeoutSeconds * 1000);
      client.once("error", reject);
      client.once("close", () => {
        reject(new Error("the connection was lost"));
      });
      client.once("ready", () => {
        client.exec(command, (error, channel) => {
          if (error) {
            reject(error);
            return;
          }
          const chunks: Buffer[] = [];
          let length = 0;
          let errors = "";
          let exitCode: number | undefined;
          channel.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            length += chunk.length;
            if (length > longestOutput) reject(new Error("it sends more than 128 MiB"));
          });
          channel.stderr.on("data", (chunk: Buffer) => {
            errors = (errors + chunk.toString()).slice(-1000);
          });
          channel.on("exit", (code: number) => (exitCode = code));
          channel.on("close", () => {
            if (exitCode === 0) resolve(Buffer.concat(chunks).toString("utf8"));
            else reject(new Error(`exit code ${exitCode ?? "unknown"}: ${errors.trim()}`));
          });
          channel.end();
        });
      });
      client.connect({
        host: source.host,
        port: source.port,
        username: source.user,
        privateKey: source.privateKey,
        hostVerifier: (key: Buffer) => key.equals(pinned),
        readyTimeout: 15_000,
        keepaliveInterval: 15_000,
        keepaliveCountMax: 3,
      });
    });
  } finally {
    clearTimeout(timer);
    client.on("error", () => undefined);
    client.end();
  }
}
