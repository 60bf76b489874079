import path from "node:path";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { messageOf } from "../host/failure.ts";
import type { Artifact, Progress } from "./artifact.ts";
import { Cache, artifactAddress } from "./cache.ts";
import { howBusy, timesSoFar } from "./how-busy.ts";
import { formatSeconds } from "./progress-text.ts";
import { Slots } from "./slots.ts";

export interface EnsureOptions {
  readonly cache?: Cache;
  readonly progress?: Progress;
  /** Called once, before the first build, with the Debian packages that builds need. Default: does nothing. */
  readonly ensurePackages?: (packages: readonly string[]) => Promise<void>;
  /** Called once, before `ensurePackages`, with everything to build. Default: does nothing. */
  readonly ensureRoom?: (missing: readonly Artifact[]) => Promise<void>;
}

export interface EnsuredArtifacts {
  path(artifact: Artifact): string;
}

/** Longest wait for another process that builds the same entry: the limits of all stages of a Windows image. */
const lockTimeoutSeconds = 7 * 3600;

/**
 * Builds what is not completely in the cache, with a progress line at its start, each minute, and at its end.
 *
 * @throws after the first failed build (running builds are finished), with the end of its log; before any build, if the
 * cache cannot be written.
 */
export async function ensureArtifacts(
  artifacts: readonly Artifact[],
  options: EnsureOptions = {},
): Promise<EnsuredArtifacts> {
  const cache = options.cache ?? new Cache();
  const say: Progress = options.progress ?? ((line) => process.stderr.write(`${line}\n`));
  const { missing, address } = await findMissing(artifacts, cache, say);
  const ensured = { path: (artifact: Artifact) => cache.entryFolder(address(artifact)) };
  if (missing.length === 0) return ensured;
  await cache.requireWritable();
  await options.ensureRoom?.(missing);
  const packages = packagesOf(missing);
  if (packages.length > 0) await options.ensurePackages?.(packages);
  await Promise.all(missing.map(async (each) => each.check?.()));

  // Most of a build uses every core; a second one fills the single-threaded phases (linking, packing).
  const slots = new Slots(2);
  const running = new Map<Artifact, Promise<void>>();
  let failed = false;
  const begun = await timesSoFar();
  longestChainFirst(missing).forEach((artifact, rank) => {
    const needed = artifact.needs.map((each) => running.get(each) ?? Promise.resolve());
    const make = async (): Promise<void> => {
      if (failed) return;
      await makeEntry(cache, artifact, address(artifact), ensured, say).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    };
    const made = Promise.all(needed).then(() => slots.run(rank, make, artifact.shares));
    running.set(artifact, made);
  });
  // Artifacts that depend on a failed one fail with the same error.
  await settleAll(running.values());
  const busy = howBusy(begun, await timesSoFar());
  if (busy !== undefined) say(busy);
  return ensured;
}

/** By the time from an artifact's start to the end of the last one that waits for it; dependencies first. */
export function longestChainFirst(artifacts: readonly Artifact[]): readonly Artifact[] {
  const chains = new Map<Artifact, number>();
  const longer = (artifact: Artifact, seconds: number): void => {
    chains.set(artifact, Math.max(chains.get(artifact) ?? 0, seconds));
  };
  for (const artifact of artifacts.toReversed()) {
    const chain = (chains.get(artifact) ?? 0) + (artifact.seconds ?? 5);
    chains.set(artifact, chain);
    for (const needed of artifact.needs) longer(needed, chain);
  }
  return artifacts.toSorted((one, other) => (chains.get(other) ?? 0) - (chains.get(one) ?? 0));
}

/** Checks whether all that is missing can be built. @returns the Debian packages to install. @throws the reason if not. */
export async function checkArtifacts(
  artifacts: readonly Artifact[],
  cache = new Cache(),
): Promise<readonly string[]> {
  const { missing } = await findMissing(artifacts, cache, () => undefined);
  await Promise.all(missing.map(async (each) => each.check?.()));
  return packagesOf(missing);
}

/** The artifacts that are not in the cache, and those that they need for being built. Builds nothing. */
export async function missingArtifacts(
  artifacts: readonly Artifact[],
  cache = new Cache(),
): Promise<readonly Artifact[]> {
  return (await findMissing(artifacts, cache, () => undefined)).missing;
}

function packagesOf(artifacts: readonly Artifact[]): readonly string[] {
  return [...new Set(artifacts.flatMap(({ hostPackages }) => hostPackages))].sort();
}

/** Missing artifacts, dependencies first. What only complete artifacts depend on is not checked and may be gone. */
async function findMissing(
  artifacts: readonly Artifact[],
  cache: Cache,
  say: Progress,
): Promise<{
  readonly missing: readonly Artifact[];
  readonly address: (artifact: Artifact) => string;
}> {
  const order = buildOrder(artifacts);
  const known = new Map<Artifact, Promise<string>>();
  const addresses = new Map(
    await Promise.all(
      order.map(async (each) => [each, await artifactAddress(each, known)] as const),
    ),
  );
  const address = (artifact: Artifact): string => {
    const found = addresses.get(artifact);
    if (found === undefined) {
      throw new Error(`${artifact.name} was not requested: add it to the needs of what uses it`);
    }
    return found;
  };
  const missing = new Set<Artifact>();
  const wanted = new Set(artifacts);
  // In reverse order, so that dependents come before their dependencies.
  for (const artifact of order.toReversed()) {
    if (!wanted.has(artifact)) continue;
    const state = await cache.state(address(artifact));
    if (state.kind === "complete") {
      await cache.markUsed(address(artifact));
      continue;
    }
    if (state.kind === "damaged") {
      say(`${artifact.name}: damaged in the cache (${state.damage}), made again`);
    }
    missing.add(artifact);
    for (const needed of artifact.needs) wanted.add(needed);
  }
  return { missing: order.filter((artifact) => missing.has(artifact)), address };
}

async function makeEntry(
  cache: Cache,
  artifact: Artifact,
  address: string,
  ensured: EnsuredArtifacts,
  say: Progress,
): Promise<void> {
  const started = Date.now();
  const elapsed = (): string => formatSeconds((Date.now() - started) / 1000);
  const progress: Progress = (line) => say(`${artifact.name}: ${line} (${elapsed()})`);
  const logFile = cache.logFile(address);
  const make = async (): Promise<void> => {
    if ((await cache.state(address)).kind === "complete") {
      progress("made by another process meanwhile");
      return;
    }
    await mkdir(path.dirname(logFile), { recursive: true });
    await writeFile(logFile, "");
    progress("start");
    const heartbeat = setInterval(() => progress("still running"), 60_000);
    const context = { progress, logFile, downloads: cache.downloadsFolder, ...ensured };
    try {
      await cache.make(address, artifact.name, (into) => artifact.build(into, context));
    } catch (error) {
      progress("failed; the error is shown once everything in progress has ended");
      const failure = `${artifact.name} could not be made after ${elapsed()}: ${messageOf(error)}`;
      const log = await endOfLog(logFile, 30);
      const whole = log === "" ? failure : `${failure}\n${log}\nwhole log: ${logFile}`;
      throw new Error(whole, { cause: error });
    } finally {
      clearInterval(heartbeat);
    }
    progress("done");
  };
  await cache.withEntryLock(address, lockTimeoutSeconds, make, ({ pid }) =>
    progress(`process ${pid} is making it, waiting`),
  );
}

export async function endOfLog(logFile: string, lines: number): Promise<string> {
  const log = await readFile(logFile, "utf8").catch(() => "");
  return log.trimEnd().split("\n").slice(-lines).join("\n");
}

/** Dependencies first, else in the given order. @throws for circular dependencies, and for two artifacts of one name. */
export function buildOrder(artifacts: readonly Artifact[]): readonly Artifact[] {
  const ordered: Artifact[] = [];
  const byName = new Map<string, Artifact>();
  const visit = (artifact: Artifact, trail: readonly Artifact[]): void => {
    if (trail.includes(artifact)) {
      const circle = [...trail.slice(trail.indexOf(artifact)), artifact];
      throw new Error(`artifacts need each other: ${circle.map((each) => each.name).join(" -> ")}`);
    }
    if (ordered.includes(artifact)) return;
    for (const needed of artifact.needs) visit(needed, [...trail, artifact]);
    if (byName.has(artifact.name)) throw new Error(`two artifacts are called ${artifact.name}`);
    byName.set(artifact.name, artifact);
    ordered.push(artifact);
  };
  for (const artifact of artifacts) visit(artifact, []);
  return ordered;
}

/** Waits until all have ended. @throws the reason of a failure; several are combined into one. */
export async function settleAll(running: Iterable<Promise<unknown>>): Promise<void> {
  const outcomes = await Promise.allSettled(running);
  const failed = outcomes.filter((each) => each.status === "rejected");
  const reasons = [...new Set(failed.map(({ reason }) => reason as unknown))];
  if (reasons.length > 1) throw new AggregateError(reasons, reasons.map(messageOf).join("\n"));
  for (const reason of reasons) throw reason;
}
