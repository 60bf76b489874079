import ssh2 from "ssh2";
import type { SFTPWrapper } from "ssh2";

import type { SshSource } from "../../../ssh/run-over-ssh.ts";
import type { LogFolder } from "./log-folder.ts";
import { SourceRefused } from "./lost-source.ts";

const { NO_SUCH_FILE, EOF } = ssh2.utils.sftp.STATUS_CODE;
/** Longest wait for a connection, and for one answer. */
const answerSeconds = 20;
/** How often a silent machine is asked whether it is there; lost after three of these. */
const keepaliveSeconds = 5;

/**
 * Works with a machine's files over SFTP, and closes the connection afterwards.
 *
 * @throws SourceRefused where the machine is there, and is another one or does not let us in.
 * @throws when it can't be reached, or the connection is lost.
 */
export async function withSftp<T>(
  source: SshSource,
  work: (files: LogFolder) => Promise<T>,
): Promise<T> {
  const client = new ssh2.Client();
  const pinned = Buffer.from(source.hostKey.trim().split(/\s+/)[1] ?? "", "base64");
  let otherKey = false;
  let fail: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (fail = reject));
  // Nobody waits for it where it comes while nothing is asked.
  lost.catch(() => undefined);
  client.on("error", fail);
  client.on("close", () => fail(new Error("the connection was lost")));
  try {
    const ready = new Promise<void>((resolve) => client.once("ready", resolve));
    client.connect({
      host: source.host,
      port: source.port,
      username: source.user,
      privateKey: source.privateKey,
      hostVerifier: (key: Buffer) => {
        otherKey = !key.equals(pinned);
        return !otherKey;
      },
      readyTimeout: answerSeconds * 1000,
      keepaliveInterval: keepaliveSeconds * 1000,
      keepaliveCountMax: 3,
    });
    await Promise.race([ready, lost]).catch((error: unknown) => {
      throw refusal(error, otherKey) ?? error;
    });
    const sftp = await Promise.race([opened(client), lost, tooLate()]);
    const ask: Ask = (question) => Promise.race([answered(question), lost, tooLate()]);
    return await work(filesOver(sftp, ask));
  } finally {
    client.end();
    client.destroy();
  }
}

type Callback<T> = (error: Error | null | undefined, value: T) => void;
type Ask = <T>(question: (callback: Callback<T>) => void) => Promise<T>;

function refusal(error: unknown, otherKey: boolean): SourceRefused | undefined {
  if (otherKey) {
    return new SourceRefused("it has another host key than the stack knows: it was made anew");
  }
  const level = error instanceof Error && "level" in error ? error.level : undefined;
  return level === "client-authentication"
    ? new SourceRefused("it does not take the lab's key")
    : undefined;
}

async function opened(client: ssh2.Client): Promise<SFTPWrapper> {
  return answered<SFTPWrapper>((callback) => client.sftp(callback));
}

async function answered<T>(question: (callback: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    question((error, value) => (error ? reject(error) : resolve(value)));
  });
}

async function tooLate(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(
      () => reject(new Error(`no answer within ${answerSeconds} s`)),
      answerSeconds * 1000,
    ).unref();
  });
}

function filesOver(sftp: SFTPWrapper, ask: Ask): LogFolder {
  return {
    list: async (folder) =>
      unlessMissing([], async () => {
        const entries = await ask<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(folder, done));
        return entries.map(({ filename, attrs }) => ({
          name: filename,
          isFolder: attrs.isDirectory(),
        }));
      }),

    // Windows answers this without opening the file, which would keep its writer from renaming it.
    size: async (file) =>
      unlessMissing(
        undefined,
        async () => (await ask<ssh2.Stats>((done) => sftp.stat(file, done))).size,
      ),

    read: async (file, offset, length) =>
      unlessMissing(undefined, async () => {
        const handle = await ask<Buffer>((done) => sftp.open(file, "r", done));
        try {
          return await readPart(sftp, ask, handle, offset, length);
        } finally {
          await ask<void>((done) => sftp.close(handle, (error) => done(error, undefined)));
        }
      }),
  };
}

/** As much of a file as there is: a server sends less at a time than it is asked for. */
async function readPart(
  sftp: SFTPWrapper,
  ask: Ask,
  handle: Buffer,
  offset: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = await ask<number>((done) =>
      sftp.read(handle, buffer, filled, length - filled, offset + filled, (error, count) => {
        if (codeOf(error) === EOF) done(undefined, 0);
        else done(error, count);
      }),
    );
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

async function unlessMissing<T, N>(nothing: N, work: () => Promise<T>): Promise<T | N> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === NO_SUCH_FILE) return nothing;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
