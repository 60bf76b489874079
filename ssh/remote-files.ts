import ssh2 from "ssh2";
import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from "ssh2";
import { LossWatch } from "./dial.ts";

const { NO_SUCH_FILE, EOF } = ssh2.utils.sftp.STATUS_CODE;

/** A file or folder in a folder. */
export interface RemoteEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

type Answer<T> = (error: Error | null | undefined, value: T) => void;

/**
 * A machine's files over SFTP, with paths like `C:/x`. A missing file is no error for reading or removing; a lost connection
 * is one.
 */
export class RemoteFiles {
  readonly #sftp: SFTPWrapper;
  readonly #answerSeconds: number | undefined;
  /** Rejects on a lost connection, as ssh2 then leaves some requests without an answer. */
  readonly #lost: Promise<never>;
  readonly #loss: LossWatch;

  private constructor(client: Client, sftp: SFTPWrapper, answerSeconds?: number) {
    this.#sftp = sftp;
    this.#answerSeconds = answerSeconds;
    let tell: (error: Error) => void = () => undefined;
    this.#lost = new Promise((_resolve, reject) => (tell = reject));
    // Nobody awaits it if it fails between requests.
    this.#lost.catch(() => undefined);
    this.#loss = new LossWatch(client, tell);
  }

  /** @param answerSeconds longest wait for one answer. Default: as long as the connection is open. */
  static async open(client: Client, answerSeconds?: number): Promise<RemoteFiles> {
    const sftp = await answered<SFTPWrapper>((done) => client.sftp(done), answerSeconds).catch(
      ({ message }: Error) => {
        throw new Error(`the SSH server offers no SFTP: ${message}`);
      },
    );
    return new RemoteFiles(client, sftp, answerSeconds);
  }

  /** Closes the session, not the connection. */
  close(): void {
    this.#loss.end();
    this.#sftp.end();
  }

  /** Attributes of a file or folder, which Windows reads without opening it, so that its writer can rename it. */
  async stat(path: string): Promise<Stats | undefined> {
    return unlessMissing(
      undefined,
      this.#ask<Stats>((done) => this.#sftp.stat(path, done)),
    );
  }

  /** Whether there is such a file or folder. */
  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== undefined;
  }

  /** Content of a folder; empty if it does not exist. */
  async list(folder: string): Promise<RemoteEntry[]> {
    const entries = await unlessMissing(
      [],
      this.#ask<FileEntryWithStats[]>((done) => this.#sftp.readdir(folder, done)),
    );
    return entries
      .filter(({ filename }) => filename !== "." && filename !== "..")
      .map(({ filename, attrs }) => ({ name: filename, isFolder: attrs.isDirectory() }));
  }

  /** Reads bytes of a file from an offset, fewer at its end; opens it only for that. */
  async read(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    const handle = await unlessMissing(
      undefined,
      this.#ask<Buffer>((done) => this.#sftp.open(path, "r", done)),
    );
    if (handle === undefined) return undefined;
    try {
      return await this.#readPart(handle, offset, length);
    } finally {
      await this.#do((done) => this.#sftp.close(handle, done));
    }
  }

  makeFolder(path: string): Promise<void> {
    return this.#do((done) => this.#sftp.mkdir(path, done));
  }

  /** Writes a file, overwriting an existing one. */
  async write(path: string, content: string | Buffer): Promise<void> {
    await this.#do((done) => this.#sftp.writeFile(path, content, done));
    await this.#flush(path);
  }

  /** Copies a file of this host, overwriting an existing one. */
  async put(from: string, to: string): Promise<void> {
    await this.#do((done) => this.#sftp.fastPut(from, to, done));
    await this.#flush(to);
  }

  /**
   * Has a file on the machine's disk, so that a power cut does not truncate what counts as copied. OpenSSH's server does
   * that since 6.5, and Windows' by FlushFileBuffers
   * (https://github.com/PowerShell/openssh-portable/blob/latestw_all/contrib/win32/win32compat/misc.c).
   */
  async #flush(path: string): Promise<void> {
    const handle = await this.#ask<Buffer>((done) => this.#sftp.open(path, "r+", done));
    try {
      await this.#do((done) => this.#sftp.ext_openssh_fsync(handle, done));
    } catch (error) {
      if (!(error as Error).message.includes("does not support")) throw error;
    } finally {
      await this.#do((done) => this.#sftp.close(handle, done));
    }
  }

  /** Removes a folder with its content. */
  async remove(folder: string): Promise<void> {
    // In parallel: otherwise a folder of scripts would take one round trip per file.
    await Promise.all(
      (await this.list(folder)).map(({ name, isFolder }) => {
        const path = `${folder}/${name}`;
        return isFolder ? this.remove(path) : this.removeFile(path);
      }),
    );
    await unlessMissing(
      undefined,
      this.#do((done) => this.#sftp.rmdir(folder, done)),
    );
  }

  async removeFile(path: string): Promise<void> {
    await unlessMissing(
      undefined,
      this.#do((done) => this.#sftp.unlink(path, done)),
    );
  }

  /** Reads until the end or the limit, as a server may send less than requested. */
  async #readPart(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const read = await this.#ask<number>((done) =>
        this.#sftp.read(handle, buffer, filled, length - filled, offset + filled, (error, count) =>
          codeOf(error) === EOF ? done(undefined, 0) : done(error, count),
        ),
      );
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  }

  async #ask<T>(question: (done: Answer<T>) => void): Promise<T> {
    try {
      return await Promise.race([answered(question, this.#answerSeconds), this.#lost]);
    } catch (error) {
      throw (error as Error).message === "No response from server" ? this.#loss.error() : error;
    }
  }

  #do(start: (done: (error?: Error | null) => void) => void): Promise<void> {
    return this.#ask<void>((done) => start((error) => done(error, undefined)));
  }
}

function answered<T>(question: (done: Answer<T>) => void, seconds?: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer =
      seconds &&
      setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), seconds * 1000);
    question((error, value) => {
      clearTimeout(timer);
      // It may be null or undefined on success.
      if (error) reject(error);
      else resolve(value);
    });
  });
}

async function unlessMissing<T, N>(nothing: N, answer: Promise<T>): Promise<T | N> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) === NO_SUCH_FILE) return nothing;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
