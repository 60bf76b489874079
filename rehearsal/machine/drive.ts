import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from "node:fs";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { AccessDeniedError, formatWindowsPath, windowsPathNames } from "./windows-path.ts";

/**
 * Drive C:, stored in a Linux folder.
 *
 * Names ignore case and preserve it, as on NTFS. Nothing outside the folder can be reached, neither by `..` nor by links.
 */
export class Drive {
  full = false;

  /** A `durable` drive flushes each write to the disk before it returns, because the power may fail at any time. */
  constructor(
    readonly root: string,
    private readonly durable = true,
  ) {}

  /** The Linux path of a Windows path. Names that do not exist yet keep the case of `path`. */
  resolve(path: string, cwd: readonly string[] = []): Promise<string> {
    return Promise.resolve().then(() =>
      findOnDrive(realpathSync.native(this.root), windowsPathNames(path, cwd)),
    );
  }

  /** The full path as `dir` would show it, with the case on the drive. */
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

  /** The file's content. Undefined if there is no such file. */
  async read(path: string): Promise<Buffer | undefined> {
    return unlessMissing(async () => {
      const file = await this.resolve(path);
      // Most reads are of missing files, and throwing an error for each is expensive.
      return existsSync(file) ? readFileSync(file) : undefined;
    });
  }

  /** The file's text without a byte order mark. Undefined if there is no such file. */
  async readText(path: string): Promise<string | undefined> {
    return (await this.read(path))?.toString("utf8").replace(/^\uFEFF/, "");
  }

  /** Writes a file atomically, also with regard to power cuts. A `secret` file can be read by its owner only. */
  async write(path: string, content: string | Buffer, secret = false): Promise<void> {
    this.assertRoom();
    await this.writeRegardless(path, content, secret);
  }

  /** Like `write`, but also on a full drive: for the model's own state, which Windows does not have. */
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

  /** Removes a file, or a folder with its content. Returns whether it existed. */
  async remove(path: string): Promise<boolean> {
    const target = await this.resolve(path);
    if (target === (await realpath(this.root))) throw new AccessDeniedError();
    const exists = statOf(target) !== undefined;
    if (exists) await rm(target, { recursive: true });
    return exists;
  }

  #stat(path: string): Promise<Stats | undefined> {
    return unlessMissing(async () => statSync(await this.resolve(path)));
  }
}

/**
 * Finds the Linux path of names below a folder. Uses synchronous calls because on an emulated CPU Node.js' asynchronous
 * ones take twenty times as long, and every file that is copied to the machine needs a dozen.
 *
 * @param root The folder, without links in its own path.
 * @throws AccessDeniedError if a link leads out of it.
 */
export function findOnDrive(root: string, names: readonly string[]): string {
  let current = root;
  let exists = true;
  for (const name of names) {
    const { path, stats }: Found = exists
      ? findEntry(current, name)
      : { path: join(current, name) };
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

function findEntry(folder: string, name: string): Found {
  const path = join(folder, name);
  const stats = statOf(path);
  if (stats !== undefined || !statOf(folder)?.isDirectory()) return { path, stats };
  const wanted = name.toLowerCase();
  const entry = readdirSync(folder).find((each) => each.toLowerCase() === wanted);
  return entry === undefined
    ? { path }
    : { path: join(folder, entry), stats: statOf(join(folder, entry)) };
}

/** Status of a path, without following links. Undefined if it does not exist. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Windows' ERROR_DISK_FULL. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";

  constructor() {
    super("There is not enough space on the disk.");
  }
}
