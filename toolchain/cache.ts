import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rmdir, utimes } from "node:fs/promises";
import path from "node:path";

import { Failure } from "../host/failure.ts";
import type { Artifact } from "./artifact.ts";
import { livingOwner, withLock } from "./cache-lock.ts";
import type { Owner } from "./owner.ts";
import { findDamage, markerName, writeMarker } from "./cache-marker.ts";
import { assertOnlyOurs, cacheRoot, ownCache } from "./own-cache.ts";
import { isReadOnly, removeTree } from "./read-only.ts";

/** Part of every address: increase it if the format of all entries changes. */
const cacheFormat = 1;

/** Longest wait for the lock of the compiler's caches, in seconds. */
export const compilerLockSeconds = 600;

/** Folder name of an artifact in the cache. @param known memo of addresses, as artifacts share dependencies. */
export function artifactAddress(
  artifact: Artifact,
  known = new Map<Artifact, Promise<string>>(),
): Promise<string> {
  const address = known.get(artifact) ?? computeAddress(artifact, known);
  known.set(artifact, address);
  return address;
}

async function computeAddress(artifact: Artifact, known: Map<Artifact, Promise<string>>) {
  const inputs = Object.entries(await artifact.inputs()).sort(([a], [b]) => (a < b ? -1 : 1));
  const addresses = artifact.needs.map((needed) => artifactAddress(needed, known));
  const needs = (await Promise.all(addresses)).sort();
  const hash = createHash("sha256")
    .update(JSON.stringify({ cacheFormat, name: artifact.name, inputs, needs }))
    .digest("hex");
  return `${artifact.name}-${hash.slice(0, 16)}`;
}

type EntryState =
  | { readonly kind: "complete" }
  | { readonly kind: "missing" }
  | { readonly kind: "damaged"; readonly damage: string };

/** The content-addressed cache on disk. Entries never change; they are built and removed as a whole. */
export class Cache {
  constructor(readonly root: string = cacheRoot()) {}

  get entriesFolder(): string {
    return path.join(this.root, "artifacts");
  }

  /** Folder of running and dead builds. */
  get buildingFolder(): string {
    return path.join(this.root, "building");
  }

  /** What killed builds leave for the next one to resume, in a folder for each address. */
  get partialFolder(): string {
    return path.join(this.root, "partial");
  }

  /** Folder of incomplete downloads, each in a file named by its expected SHA-256. */
  get downloadsFolder(): string {
    return path.join(this.root, "downloads");
  }

  entryFolder(address: string): string {
    return path.join(this.entriesFolder, address);
  }

  lockFile(address: string): string {
    return path.join(this.root, "locks", `${address}.lock`);
  }

  logFile(address: string): string {
    return path.join(this.root, "logs", `${address}.log`);
  }

  /** @throws if another user may write to the cache. */
  async state(address: string): Promise<EntryState> {
    assertOnlyOurs(this.root);
    const folder = this.entryFolder(address);
    try {
      await readdir(folder);
    } catch {
      return { kind: "missing" };
    }
    const damage = await findDamage(folder);
    return damage === undefined ? { kind: "complete" } : { kind: "damaged", damage };
  }

  /** Records that the entry was used now, for `kindows cache prune`. */
  async markUsed(address: string): Promise<void> {
    const now = new Date();
    try {
      await utimes(path.join(this.entryFolder(address), markerName), now, now);
    } catch (error) {
      if (!isReadOnly(error)) throw error;
    }
  }

  /** @throws with a remedy if the cache cannot be written, or the folder is something else. */
  async requireWritable(): Promise<void> {
    try {
      ownCache(this.root);
      await rmdir(await mkdtemp(path.join(this.root, "writable-")));
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      throw new Error(
        `the cache ${this.root} can't be written to (${code}): set KINDOWS_CACHE to a folder that can`,
        { cause: error },
      );
    }
  }

  /** Runs `work` as the only process (on this machine) that builds or removes the entry. */
  async withEntryLock<T>(
    address: string,
    timeoutSeconds: number,
    work: () => Promise<T>,
    onWait?: (owner: Owner) => void,
  ): Promise<T> {
    ownCache(this.root);
    return withLock(this.lockFile(address), timeoutSeconds, work, onWait);
  }

  /** `build` fills an empty folder, which is renamed into place. Requires the lock; removes what a dead builder left. */
  async make(
    address: string,
    name: string,
    build: (into: string) => Promise<void>,
  ): Promise<string> {
    await this.removeHalfMade(address);
    const into = path.join(this.buildingFolder, `${address}.${process.pid}`);
    await this.begin(into);
    await mkdir(this.entriesFolder, { recursive: true });
    const started = Date.now();
    try {
      await build(into);
      await writeMarker(into, name, (Date.now() - started) / 1000);
      await this.remove(address);
      await rename(into, this.entryFolder(address));
    } catch (error) {
      await removeTree(into);
      throw error;
    }
    return this.entryFolder(address);
  }

  async remove(address: string): Promise<void> {
    await this.removeFolder(this.entryFolder(address), address);
  }

  /** Removes a folder of the cache; no process ever sees it half removed. Requires the lock of that address. */
  async removeFolder(folder: string, address: string): Promise<void> {
    const aside = path.join(this.buildingFolder, `${address}.removed.${process.pid}`);
    await mkdir(this.buildingFolder, { recursive: true });
    try {
      await rename(folder, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return;
    }
    await removeTree(aside);
  }

  /** Whether a running process holds the lock of a build. @param name of the build's folder, e.g. `<address>.<pid>`. */
  async isLivingBuild(name: string): Promise<boolean> {
    const address = name.replace(/(\.removed)?\.[0-9]+$/, "");
    return (await livingOwner(this.lockFile(address))) !== undefined;
  }

  async isBuilding(): Promise<boolean> {
    const names = await readdir(this.buildingFolder).catch(() => [] as string[]);
    const alive = await Promise.all(names.map((name) => this.isLivingBuild(name)));
    return alive.includes(true);
  }

  /** Creates a build's folder. While it exists, the compiler's caches stay. Waits if they are being removed. */
  private begin(into: string): Promise<unknown> {
    return this.withEntryLock("go", compilerLockSeconds, () => mkdir(into, { recursive: true }));
  }

  /** Removes what processes left that died while they built or removed the entry. Requires its lock. */
  async removeHalfMade(address: string): Promise<void> {
    const names = await readdir(this.buildingFolder).catch(() => [] as string[]);
    for (const name of names.filter((each) => each.startsWith(`${address}.`))) {
      await removeTree(path.join(this.buildingFolder, name));
    }
  }
}
