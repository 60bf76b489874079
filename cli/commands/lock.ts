import { calicoRelease, calicoVersions } from "../../components/cni/calico/release.ts";
import { operatorArchive } from "../../components/cni/calico/definitions-artifact.ts";
import { officialSoftware } from "../../components/windows/software.ts";
import { containerdVersions, defaultKubernetes } from "../../host/versions.ts";
import { bundledPlugins } from "../../offline/plugins/catalog.ts";
import { pluginDownloads } from "../engine/plugin-artifact.ts";
import {
  type PublishedFile,
  lockChecksum,
  publishersChecksum,
  whyUnreachable,
} from "../../toolchain/publisher.ts";
import { guestTools } from "../../rehearsal/image/guest-tools.ts";
import { ownRelease } from "../../toolchain/tools/own-release.ts";
import { goArchive } from "../../toolchain/tools/go-toolchain.ts";
import * as tools from "../../toolchain/tools/table.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { messageOf } from "../../host/failure.ts";
import { pushedArtifacts } from "../fetch/stack-programs.ts";
import { say } from "../progress.ts";
import path from "node:path";
import type { Progress } from "../../toolchain/artifact.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { table } from "../table.ts";
import { podNetworkPrograms } from "../../components/cni/programs.ts";

/** `kindows lock`: lists downloads. Exit code 0 when the checksums of all but this project's own releases are locked. */
export async function lock({ update }: Options<"update">): Promise<CommandResult> {
  const files = [...toolFiles(), ...windowsFiles()];
  const own = await Promise.all(guestTools.map((tool) => ownRelease(tool)));
  const all = [...files, ...own.flatMap((archives) => archives ?? [])];
  const states = update ? await updateLock(all, say) : lockedFiles(all);
  process.stdout.write(`${lockedText(states)}\n`);
  // A release of this project is built from a commit, so that commit's lock file cannot contain it yet.
  const isWrong = ({ takenFrom, problem }: LockedFile): boolean =>
    !takenFrom || problem !== undefined;
  const wrong = states.slice(0, files.length).filter(isWrong).length;
  return wrong === 0 ? undefined : `files without a right checksum in the lock: ${wrong}`;
}

function toolFiles(): readonly PublishedFile[] {
  const downloads = Object.values(tools).flatMap((each) =>
    typeof each === "object" ? (each.tool.downloads ?? []) : [],
  );
  return [
    ...downloads,
    ...bundledPlugins.flatMap(pluginDownloads),
    goArchive,
    ...calicoVersions.map(calicoRelease).map(operatorArchive),
  ];
}

/** Files for Windows nodes, of every pinned version and for every pod network. Of other versions `fetch` gets the checksums. */
function windowsFiles(): readonly PublishedFile[] {
  const known = { checksums: {}, lock: {}, folders: {} };
  const programs = containerdVersions.flatMap((containerd) =>
    pushedArtifacts(
      officialSoftware({ kubernetes: defaultKubernetes, containerd }, known, podNetworkPrograms),
    ),
  );
  const files = programs.flatMap(({ uri, origin }) =>
    // A file without an address comes from the settings.
    uri === "" ? [] : [{ url: uri, checksumUrl: origin.checksumUri }],
  );
  return [...new Map(files.map((file) => [file.url, file])).values()];
}

interface LockedFile {
  readonly url: string;
  /** Source of its checksum; undefined if none is locked. */
  readonly takenFrom: string | undefined;
  readonly problem?: string | undefined;
}

export function lockedFiles(
  files: readonly PublishedFile[],
  lockFile: string = softwareLockFile,
): readonly LockedFile[] {
  const lock = readSoftwareLock(lockFile);
  return files.map(({ url }) => ({ url, takenFrom: lock[url]?.takenFrom }));
}

/**
 * Locks the publishers' checksums of files that have none, or one from another source. A locked checksum never changes: a
 * publisher with another one is a problem.
 */
export async function updateLock(
  files: readonly PublishedFile[],
  say: Progress,
  lockFile: string = softwareLockFile,
): Promise<readonly LockedFile[]> {
  const problems = new Map<string, string>();
  const before = readSoftwareLock(lockFile);
  for (const file of files) {
    const { url, checksumUrl } = file;
    const known = before[url];
    if (known?.takenFrom.startsWith("https://") || (known && checksumUrl === undefined)) continue;
    try {
      const unreachable = await whyUnreachable(checksumUrl ?? url);
      if (unreachable !== undefined) throw new Error(unreachable);
      await lockChecksum(file, await publishersChecksum(file), say, lockFile);
    } catch (error) {
      problems.set(url, messageOf(error));
    }
  }
  const after = lockedFiles(files, lockFile);
  return after.map((each) => ({ ...each, problem: problems.get(each.url) }));
}

export function lockedText(files: readonly LockedFile[]): string {
  const name = (url: string): string => path.posix.basename(url);
  const rows = files.map(({ url, takenFrom }) => [name(url), takenFrom ?? "not locked"]);
  const problems = files.flatMap(({ url, problem }) =>
    problem === undefined ? [] : [`${name(url)}: ${problem}`],
  );
  return [table(["FILE", "CHECKSUM FROM"], rows), ...problems].join("\n");
}
