import { calicoVersions } from "../../components/cni/calico/release.ts";
import { operatorArchive } from "../../components/cni/calico/definitions-artifact.ts";
import { podNetworks } from "../../components/cni/pod-networks.ts";
import { resolveSettings } from "../../config/resolve.ts";
import type { Settings } from "../../config/settings.ts";
import { containerdVersions } from "../../host/versions.ts";
import { stackNeeds } from "../../stacks/stack-needs.ts";
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
import { pushedPrograms } from "../fetch/programs.ts";
import { say } from "../progress.ts";
import path from "node:path";
import type { Progress } from "../../toolchain/artifact.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { table } from "../table.ts";

/** `kindows lock`: lists downloads. Exit code 0 when the checksums of all but this project's own releases are locked. */
export async function lock({ update }: Options<"update">): Promise<CommandResult> {
  const files = [...toolFiles(), ...stackFiles()];
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
  return [...downloads, ...bundledPlugins.flatMap(pluginDownloads), goArchive];
}

/** What stacks need, of every pinned version and for every pod network. Of other versions `fetch` gets the checksums. */
function stackFiles(): readonly PublishedFile[] {
  const files = stacksOfEachChoice().flatMap((settings): PublishedFile[] => {
    const needs = stackNeeds(settings);
    const programs = pushedPrograms(settings, needs);
    return [
      ...(needs.calico === undefined ? [] : [operatorArchive(needs.calico)]),
      ...programs.map(({ uri: url, origin }) => ({ url, checksumUrl: origin.checksumUri })),
    ];
  });
  return [...new Map(files.map((file) => [file.url, file])).values()];
}

/** A stack with a Windows machine for each version and each pod network that settings can name. */
function stacksOfEachChoice(): readonly Settings[] {
  const choices: readonly { readonly cni?: object; readonly windows?: object }[] = [
    ...calicoVersions.map((version) => ({ cni: { kind: "calico", calico: { version } } })),
    ...Object.keys(podNetworks).map((kind) => ({ cni: { kind } })),
    ...containerdVersions.map((containerdVersion) => ({ windows: { containerdVersion } })),
  ];
  return choices.map(({ windows, ...others }) =>
    resolveSettings(
      {
        nodes: [{ name: "win-1" }],
        // Which it is does not matter to the programs, as long as it has none.
        windows: { ...windows, image: { kind: "disk", path: "/windows.qcow2" } },
        ...others,
      },
      { stack: "lock", file: "Pulumi.lock.yaml" },
    ),
  );
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
