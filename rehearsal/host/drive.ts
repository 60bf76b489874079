import { createHash, randomBytes } from "node:crypto";
import { existsSync, realpathSync, type Dirent } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { findOnDrive } from "./drive-names.ts";
import { DiskFullError, isMissing } from "./file-errors.ts";
import { AccessDeniedError, formatWindowsPath, windowsPathNames } from "./windows-path.ts";

/** Bytes of a file that are looked at together. */
const blockSize = 64 * 1024;

/**
 * Drive C: kept in a folder of the Linux file system.
 *
 * Names are found without regard to case, as on NTFS, and keep the case they were made with. Nothing outside the folder
 * can be reached: neither by `..` nor by links that lead out of it.
 */
export class Drive {
  readonly #durable: boolean;
  /** Whether nothing more can be written. */
  full = false;

  /** A `durable` drive has what was written on the disk before it says so: it may lose its power at any time. */
  constructor(
    readonly root: string,
    durable = true,
  ) {
    this.#durable = durable;
  }

  /** Linux path of a Windows path; what does not exist yet keeps the case asked for. */
  resolve(path: string, cwd: readonly string[] = []): Promise<string> {
    return Promise.resolve().then(() =>
      findOnDrive(realpathSync.native(this.root), windowsPathNames(path, cwd)),
    );
  }

  /** The path as `dir` would show it: full, with the case on the drive. */
  async display(path: string, cwd: readonly string[] = []): Promise<string> {
    const root = await realpath(this.root);
    const resolved = await this.resolve(path, cwd);
    return formatWindowsPath(resolved.slice(root.length).split(sep).filter(Boolean));
  }

  async isFile(path: string): Promise<boolean> {
    return (await this.#stat(path))?.isFile() ?? false;
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.#stat(path))?.isDirectory() ?? false;
  }

  /** The file's bytes, or undefined when there is none. */
  async read(path: string): Promise<Buffer | undefined> {
    try {
      const file = await this.resolve(path);
      // What is asked for most often is not there; an error is much the dearer answer.
      return existsSync(file) ? await readFile(file) : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The file's text without a byte order mark, or undefined when there is none. */
  async readText(path: string): Promise<string | undefined> {
    return (await this.read(path))?.toString("utf8").replace(/^\uFEFF/, "");
  }

  /**
   * Writes a whole file, making its folders; a reader, or a power cut, sees the old one or the new one.
   * `secret` files can be read by their owner only.
   */
  async write(path: string, content: string | Buffer, secret = false): Promise<void> {
    this.assertRoom();
    await this.writeRegardless(path, content, secret);
  }

  /** As `write`, also on a full drive: for the model's own books, which Windows does not have. */
  async writeRegardless(path: string, content: string | Buffer, secret = false): Promise<void> {
    const target = await this.resolve(path);
    await mkdir(dirname(target), { recursive: true });
    const temporary = `${target}.${randomBytes(4).toString("hex")}.tmp`;
    const file = await open(temporary, "wx", secret ? 0o600 : 0o644);
    try {
      await file.writeFile(content);
      if (this.#durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  }

  /** Writes a file unless it has this content already; whether it wrote. */
  async writeIfChanged(path: string, content: string): Promise<boolean> {
    if ((await this.read(path))?.toString("utf8") === content) return false;
    await this.write(path, content);
    return true;
  }

  /** @throws DiskFullError where nothing more can be written. */
  assertRoom(): void {
    if (this.full) throw new DiskFullError();
  }

  /** Length of a file and time of its last change in nanoseconds, or undefined when there is none. */
  async fileState(path: string): Promise<string | undefined> {
    if (!(await this.isFile(path))) return undefined;
    const { size, mtimeNs } = await stat(await this.resolve(path), { bigint: true });
    return `${size} ${mtimeNs}`;
  }

  /** SHA-256 of a file in lower-case hexadecimal digits, or undefined when there is none. */
  async sha256(path: string): Promise<string | undefined> {
    if (!(await this.isFile(path))) return undefined;
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(blockSize);
    const file = await open(await this.resolve(path));
    try {
      // Not as a stream: on an emulated CPU a stream costs half as much again as the hash itself.
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, blockSize);
        if (bytesRead === 0) return hash.digest("hex");
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Puts a copy of a file in another's place, whole or not at all.
   *
   * It is the same file under a second name where the file system can do that: programs are large, and emulated disks
   * slow. `write` replaces files and so never changes the other name's content.
   */
  async copy(from: string, to: string): Promise<void> {
    this.assertRoom();
    const target = await this.resolve(to);
    await mkdir(dirname(target), { recursive: true });
    const temporary = `${target}.${randomBytes(4).toString("hex")}.tmp`;
    const source = await this.resolve(from);
    try {
      await link(source, temporary);
    } catch {
      await copyFile(source, temporary);
    }
    await rename(temporary, target);
  }

  /** Gives a file another name on the drive; one that has it already is an error, as for Windows' MoveFile. */
  async move(from: string, to: string): Promise<void> {
    const target = await this.resolve(to);
    if (await this.isFile(to)) {
      throw new Error(`Cannot create a file when that file already exists: ${to}`);
    }
    await rename(await this.resolve(from), target);
  }

  /** Names of the files in a folder, in the order of their characters' codes; none where there is no folder. */
  async fileNames(folder: string): Promise<string[]> {
    return this.#names(folder, (entry) => entry.isFile());
  }

  /** Names of the folders in a folder, in the same way. */
  async folderNames(folder: string): Promise<string[]> {
    return this.#names(folder, (entry) => entry.isDirectory());
  }

  async makeFolder(path: string): Promise<void> {
    await mkdir(await this.resolve(path), { recursive: true });
  }

  /** Removes a file or a folder with all it holds; whether there was one. */
  async remove(path: string): Promise<boolean> {
    const target = await this.resolve(path);
    if (target === (await realpath(this.root))) throw new AccessDeniedError();
    const exists = await lstat(target).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );
    if (exists) await rm(target, { recursive: true });
    return exists;
  }

  /** Has what programs wrote below a folder on the disk, on a durable drive: they themselves do not wait for that. */
  async flush(folder: string): Promise<void> {
    if (!this.#durable || !(await this.isFolder(folder))) return;
    const entries = await readdir(await this.resolve(folder), {
      withFileTypes: true,
      recursive: true,
    });
    for (const entry of entries.filter((each) => each.isFile())) {
      try {
        const file = await open(join(entry.parentPath, entry.name));
        await file.sync().finally(() => file.close());
      } catch (error) {
        if (!isMissing(error)) throw error; // removed meanwhile by who wrote it
      }
    }
  }

  async #names(folder: string, wanted: (entry: Dirent) => boolean): Promise<string[]> {
    if (!(await this.isFolder(folder))) return [];
    const entries = await readdir(await this.resolve(folder), { withFileTypes: true });
    return entries
      .filter(wanted)
      .map((entry) => entry.name)
      .sort();
  }

  async #stat(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
    try {
      return await stat(await this.resolve(path));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}
