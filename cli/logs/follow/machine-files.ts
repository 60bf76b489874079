import { logInTo } from "../../../ssh/dial.ts";
import { HostKeyRefused } from "../../../ssh/endpoint.ts";
import { RemoteFiles } from "../../../ssh/remote-files.ts";
import type { SshSource } from "../../../ssh/run-over-ssh.ts";
import type { LogFolder } from "./log-folder.ts";
import { SourceRefused } from "./lost-source.ts";

/** Longest wait for a connection, and for one answer. */
const answerSeconds = 20;
/** A machine that says nothing for so long is lost. */
const silentSeconds = 15;

/**
 * Works with a machine's files over SFTP, and closes the connection afterwards.
 *
 * @throws SourceRefused where the machine is there, and is another one or does not let us in.
 * @throws when it can't be reached, or the connection is lost.
 */
export async function withMachineFiles<T>(
  source: SshSource,
  signal: AbortSignal,
  work: (files: LogFolder) => Promise<T>,
): Promise<T> {
  const endpoint = { ...source, silentSeconds, perDialTimeout: answerSeconds };
  const client = await logInTo(endpoint, signal).catch((error: unknown) => {
    throw refusal(error) ?? error;
  });
  try {
    const files = await RemoteFiles.open(client, answerSeconds);
    return await work({
      list: (folder) => files.list(folder),
      size: async (file) => (await files.stat(file))?.size,
      read: (file, offset, length) => files.read(file, offset, length),
    });
  } finally {
    client.end();
    client.destroy();
  }
}

function refusal(error: unknown): SourceRefused | undefined {
  if (error instanceof HostKeyRefused) {
    return new SourceRefused("it has another host key than the stack knows: it was replaced");
  }
  const level = error instanceof Error && "level" in error ? error.level : undefined;
  return level === "client-authentication"
    ? new SourceRefused("it does not take the lab's key")
    : undefined;
}
