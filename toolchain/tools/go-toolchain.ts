import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Artifact, Progress } from "../artifact.ts";
import { Cache, artifactAddress } from "../cache.ts";
import { ensureArtifacts } from "../ensure.ts";
import { fetchPublished, whyUnreachable, type PublishedFile } from "../publisher.ts";
import { findOnPath } from "../../host/search-path.ts";
import { insideOf } from "../inside.ts";
import { zipMembers } from "../zip-member.ts";
import { runProgram } from "../../host/run-program.ts";
import semver from "semver";

/** Go as a module, from the same mirror as the modules that are built with it. */
const version = "v0.0.1-go1.26.8.linux-amd64";

export const goArchive: PublishedFile = {
  url: `https://proxy.golang.org/golang.org/toolchain/@v/${version}.zip`,
};

const goToolchain: Artifact = {
  name: "go",
  needs: [],
  hostPackages: ["curl"],
  inputs: () => Promise.resolve({ version }),
  build: async (into, context) => {
    const archive = path.join(into, "archive");
    await fetchPublished(goArchive, archive, context);
    await unpackGo(await readFile(archive), into);
    await rm(archive);
  },
};

/** Unpacks the module as Go itself does: its zip has no file modes, and nested go.mod files are called _go.mod. */
export async function unpackGo(archive: Buffer, into: string): Promise<void> {
  for (const [member, content] of zipMembers(archive)) {
    const name = member
      .slice(`golang.org/toolchain@${version}/`.length)
      .replace(/(?<=^|\/)_go\.mod$/, "go.mod");
    const file = insideOf(into, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content(), { mode: /^(bin|pkg\/tool)\//.test(name) ? 0o755 : 0o644 });
  }
}

/** @param why `what` is not downloaded; undefined if it has no download. @throws with a remedy if there is no Go. */
export async function requireGo(what: string, why?: string): Promise<void> {
  const noGo = await whyNoGo();
  if (noGo === undefined || (await isDownloaded()) || !(await isOnPath("curl"))) return;
  const unreachable = await whyUnreachable(goArchive.url);
  if (unreachable !== undefined) {
    const needed = `Go is needed to build ${what}${why === undefined ? "" : `, since ${why}`}`;
    throw new Error(`${needed}. It can't be downloaded (${unreachable}), and ${noGo}`);
  }
}

/** For tools that are built if a publisher is unreachable. @throws if one is, and there is no Go. */
export async function requireReachable(urls: readonly string[], what: string): Promise<void> {
  if (!(await isOnPath("curl"))) return;
  const answers = await Promise.all(urls.map(whyUnreachable));
  const why = answers.find((each) => each !== undefined);
  if (why !== undefined) await requireGo(what, why);
}

let ensured: Promise<void> | undefined;

/**
 * Ensures a suitable Go: if the host has none, puts a downloaded one first on the PATH. @throws as `requireGo` does.
 */
export async function ensureGo(what: string, progress: Progress): Promise<void> {
  await requireGo(what);
  ensured ??= putOnPath(progress);
  await ensured;
}

async function putOnPath(progress: Progress): Promise<void> {
  if ((await whyNoGo()) !== undefined) {
    const made = await ensureArtifacts([goToolchain], { progress });
    process.env.PATH = `${path.join(made.path(goToolchain), "bin")}:${process.env.PATH ?? ""}`;
  }
}

async function isDownloaded(): Promise<boolean> {
  return (await new Cache().state(await artifactAddress(goToolchain))).kind === "complete";
}

async function isOnPath(program: string): Promise<boolean> {
  return (await findOnPath(program, process.env.PATH ?? "")) !== undefined;
}

/** Oldest Go that compiles every module, according to their go.mod files. */
const oldest = "1.26.0";

async function whyNoGo(): Promise<string | undefined> {
  const wanted = `Go ${oldest.replace(/\.0$/, "")} or later (https://go.dev/dl)`;
  // GOTOOLCHAIN=local: the installed version counts, not one that Go could download.
  const env = { GOTOOLCHAIN: "local" };
  const { how, stdout: printed } = await runProgram("go", ["env", "GOVERSION"], 10, { env });
  if (how !== "well") {
    return `"go env GOVERSION" failed: install ${wanted} and put it on the PATH`;
  }
  return isRecentEnough(printed)
    ? undefined
    : `the one on the PATH is ${printed.trim()}: install ${wanted} and put it first on the PATH`;
}

export function isRecentEnough(printed: string): boolean {
  const [release = ""] = /^go\S+/.exec(printed.trim()) ?? [];
  return printed.startsWith("devel") || semver.gte(semver.coerce(release) ?? "0.0.0", oldest);
}
