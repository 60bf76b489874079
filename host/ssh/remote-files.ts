import ssh2 from "ssh2";
import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from "ssh2";
import { bounded } from "../bounded.ts";
import { watchLoss, type LossWatch } from "./dial.ts";

const { NO_SUCH_FILE, EOF, FAILURE } = ssh2.utils.sftp.STATUS_CODE;

interface RemoteEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Callback for the outcome of a request; the error may be null or undefined on success. */
type Answer<T> = (error?: Error | null, value?: T) => void;

/**
 * Files over SFTP, with paths like `C:/x`. Reading or removing a missing file is not an error, a lost connection is.
 */
export class RemoteFiles {
  readonly #sftp: SFTPWrapper;
  readonly #answerSeconds: number | undefined;
  /** Needed because ssh2 does not answer some requests if the connection is lost. */
  readonly #loss: LossWatch;

  private constructor(client: Client, sftp: SFTPWrapper, answerSeconds?: number) {
    this.#sftp = sftp;
    this.#answerSeconds = answerSeconds;
    this.#loss = watchLoss(client);
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

  /** Attributes of a file or folder. Windows reads them without opening the file, so its writer can still rename it. */
  stat(path: string): Promise<Stats | undefined> {
    return this.#find((done) => this.#sftp.stat(path, done));
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== undefined;
  }

  async list(folder: string): Promise<RemoteEntry[]> {
    const entries = await this.#find<FileEntryWithStats[]>((done) =>
      this.#sftp.readdir(folder, done),
    );
    return (entries ?? [])
      .filter(({ filename }) => filename !== "." && filename !== "..")
      .map(({ filename, attrs }) => ({ name: filename, isFolder: attrs.isDirectory() }));
  }

  /** Reads bytes of a file from an offset, or fewer at its end. The file is open only during the call. */
  async read(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    const handle = await this.#find<Buffer>((done) => this.#sftp.open(path, "r", done));
    if (handle === undefined) return undefined;
    try {
      return await this.#readPart(handle, offset, length);
    } finally {
      await this.#ask<void>((done) => this.#sftp.close(handle, done));
    }
  }

  makeFolder(path: string): Promise<void> {
    return this.#ask<void>((done) => this.#sftp.mkdir(path, done));
  }

  async write(path: string, content: string | Buffer): Promise<void> {
    await this.#ask<void>((done) => this.#sftp.writeFile(path, content, done));
    await this.#flush(path);
  }

  /** @param copied is called with the number of bytes so far, and of all. */
  async put(
    from: string,
    to: string,
    copied: (bytes: number, all: number) => void = () => undefined,
  ): Promise<void> {
    const step = (bytes: number, _: number, all: number): void => copied(bytes, all);
    await this.#ask<void>((done) => this.#sftp.fastPut(from, to, { step }, done));
    await this.#flush(to);
  }

  /**
   * Flushes a file, so that a power cut does not truncate it after it counts as copied. OpenSSH's server supports this
   * since 6.5, and the Windows one by FlushFileBuffers (PowerShell/openssh-portable, contrib/win32/win32compat/misc.c).
   */
  async #flush(path: string): Promise<void> {
    const handle = await this.#ask<Buffer>((done) => this.#sftp.open(path, "r+", done));
    try {
      await this.#ask<void>((done) => this.#sftp.ext_openssh_fsync(handle, done));
    } catch (error) {
      if (!(error as Error).message.includes("does not support")) throw error;
    } finally {
      await this.#ask<void>((done) => this.#sftp.close(handle, done));
    }
  }

  async remove(folder: string): Promise<void> {
    // In parallel, because one round trip after the other would take long for a folder of scripts.
    await Promise.all(
      (await this.list(folder)).map(({ name, isFolder }) => {
        const path = `${folder}/${name}`;
        return isFolder ? this.remove(path) : this.removeFile(path);
      }),
    );
    await this.#find<void>((done) => this.#sftp.rmdir(folder, done));
  }

  async removeFile(path: string): Promise<void> {
    await this.#find<void>((done) => this.#sftp.unlink(path, done));
  }

  /** Reads until the end or the limit, because a server may send less than requested. */
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
      return await Promise.race([answered(question, this.#answerSeconds), this.#loss.lost]);
    } catch (error) {
      throw (error as Error).message === "No response from server" ? this.#loss.error() : error;
    }
  }

  async #find<T>(question: (done: Answer<T>) => void): Promise<T | undefined> {
    try {
      return await this.#ask(question);
    } catch (error) {
      if (codeOf(error) === NO_SUCH_FILE) return undefined;
      throw error;
    }
  }
}

function answered<T>(question: (done: Answer<T>) => void, seconds = 0): Promise<T> {
  const answer = new Promise<T>((resolve, reject) => {
    question((error, value) => (error ? reject(error) : resolve(value as T)));
  });
  return bounded(answer, seconds);
}

/** Whether SFTP answered with its one code for all errors of the system, a full drive among them. */
export function isSystemFailure(error: unknown): boolean {
  return codeOf(error) === FAILURE;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
