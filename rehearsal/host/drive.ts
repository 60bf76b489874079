import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { AccessDeniedError, formatWindowsPath, windowsPathNames } from "./windows-path.ts";

/**
 * Drive C: kept in a folder of the Linux file system.
 *
 * Names are found without regard to case, as on NTFS, and keep the case they were made with. Nothing outside the folder
 * can be reached: neither by `..` nor by links that lead out of it.
 */
export class Drive {
  full = false;

  /** A `durable` drive has what was written on the disk before it says so: it may lose its power at any time. */
  constructor(
    readonly root: string,
    private readonly durable = true,
  ) {}

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
    return unlessMissing(async () => {
      const file = await this.resolve(path);
      // What is asked for most often is not there; an error is much the dearer answer.
      return existsSync(file) ? readFile(file) : undefined;
    });
  }

  /** The file's text without a byte order mark, or undefined when there is none. */
  async readText(path: string): Promise<string | undefined> {
    return (await this.read(path))?.toString("utf8").replace(/^\uFEFF/, "");
  }

  /** A reader, or a power cut, sees the old file or the new one. `secret` ones can be read by their owner only. */
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
      if (this.durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  }

  assertRoom(): void {
    if (this.full) throw new DiskFullError();
  }

  async makeFolder(path: string): Promise<void> {
    await mkdir(await this.resolve(path), { recursive: true });
  }

  /** Removes a file or a folder with all it holds; whether there was one. */
  async remove(path: string): Promise<boolean> {
    const target = await this.resolve(path);
    if (target === (await realpath(this.root))) throw new AccessDeniedError();
    const exists = lookAt(target) !== undefined;
    if (exists) await rm(target, { recursive: true });
    return exists;
  }

  #stat(path: string): Promise<Stats | undefined> {
    return unlessMissing(async () => stat(await this.resolve(path)));
  }
}

/**
 * Asks the file system without giving others their turn: on an emulated CPU a look by way of Node.js' threads takes
 * twenty times as long, and every file that is copied to the machine needs a dozen.
 *
 * @param root the folder, without links in its own path.
 * @throws AccessDeniedError where a link leads out of it.
 */
export function findOnDrive(root: string, names: readonly string[]): string {
  let current = root;
  let exists = true;
  for (const name of names) {
    const { path, stats }: Found = exists ? lookFor(current, name) : { path: join(current, name) };
    exists = stats !== undefined;
    current = path;
    if (!stats?.isSymbolicLink()) continue;
    current = realpathSync(path);
    if (current !== root && !current.startsWith(root + sep)) throw new AccessDeniedError();
  }
  return current;
}

interface Found {
  readonly path: string;
  readonly stats?: Stats | undefined;
}

function lookFor(folder: string, name: string): Found {
  const path = join(folder, name);
  const stats = lookAt(path);
  if (stats !== undefined || !lookAt(folder)?.isDirectory()) return { path, stats };
  const wanted = name.toLowerCase();
  const entry = readdirSync(folder).find((each) => each.toLowerCase() === wanted);
  return entry === undefined
    ? { path }
    : { path: join(folder, entry), stats: lookAt(join(folder, entry)) };
}

/** What is there, links not followed; nothing is below a file. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function unlessMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What Windows says with ERROR_DISK_FULL. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";

  constructor() {
    super("There is not enough space on the disk.");
  }
}
