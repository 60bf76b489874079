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
 * A machine's files over SFTP. Paths as SFTP writes them: `C:/x`. What is not there is no error where one looks or
 * removes; a lost connection is one.
 */
export class RemoteFiles {
  readonly #sftp: SFTPWrapper;
  readonly #answerSeconds: number | undefined;
  /** Of a connection that broke, ssh2 leaves some questions without an answer. */
  readonly #lost: Promise<never>;
  readonly #loss: LossWatch;

  private constructor(client: Client, sftp: SFTPWrapper, answerSeconds?: number) {
    this.#sftp = sftp;
    this.#answerSeconds = answerSeconds;
    let tell: (error: Error) => void = () => undefined;
    this.#lost = new Promise((_resolve, reject) => (tell = reject));
    // Nobody waits for it where it comes while nothing is asked.
    this.#lost.catch(() => undefined);
    this.#loss = new LossWatch(client, tell);
  }

  /** @param answerSeconds longest wait for one answer. Default: as long as the connection stands. */
  static async open(client: Client, answerSeconds?: number): Promise<RemoteFiles> {
    const sftp = await answered<SFTPWrapper>((done) => client.sftp(done), answerSeconds).catch(
      ({ message }: Error) => {
        throw new Error(`the SSH server offers no SFTP: ${message}`);
      },
    );
    return new RemoteFiles(client, sftp, answerSeconds);
  }

  /** Ends the session, not the connection. */
  close(): void {
    this.#loss.end();
    this.#sftp.end();
  }

  /** What is known of a file or folder, which Windows answers without opening it: its writer can go on and rename it. */
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

  /** What is in a folder; nothing where there is none. */
  async list(folder: string): Promise<RemoteEntry[]> {
    const entries = await unlessMissing(
      [],
      this.#ask<FileEntryWithStats[]>((done) => this.#sftp.readdir(folder, done)),
    );
    return entries
      .filter(({ filename }) => filename !== "." && filename !== "..")
      .map(({ filename, attrs }) => ({ name: filename, isFolder: attrs.isDirectory() }));
  }

  /** Bytes of a file from an offset on, fewer at its end; it is open no longer than that. */
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

  /** Writes a file, over one of that name. */
  write(path: string, content: string | Buffer): Promise<void> {
    return this.#do((done) => this.#sftp.writeFile(path, content, done));
  }

  /** Copies a file of this host, over one of that name. */
  put(from: string, to: string): Promise<void> {
    return this.#do((done) => this.#sftp.fastPut(from, to, done));
  }

  /** Removes a folder with all that is in it. */
  async remove(folder: string): Promise<void> {
    // All at once: one answer at a time, a folder of scripts would take as many journeys to the machine as it has files.
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

  /** As much as there is: a server sends less at a time than it is asked for. */
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
      // It is null as well as undefined where all is well.
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
