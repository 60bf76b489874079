import { podNetworkPrograms } from "../../components/cni/registry.ts";
import { calicoRelease, defaultCalicoVersion } from "../../components/cni/calico/release.ts";
import { operatorArchive } from "../../components/cni/calico/definitions-artifact.ts";
import { programArtifacts, officialSoftware } from "../../components/windows/software.ts";
import { containerdVersions, kubernetesVersions } from "../../config/supported.ts";
import { bundledPlugins } from "../../plugins/catalog.ts";
import { pluginDownloads } from "../../toolchain/plugin-artifact.ts";
import type { PublishedFile } from "../../toolchain/publisher.ts";
import { goArchive } from "../../toolchain/tools/go-toolchain.ts";
import * as tools from "../../toolchain/tools/table.ts";
import { exitCodes } from "../../host/failure.ts";
import { lockedFiles, lockedText, updateLock } from "../lock/locked-files.ts";
import { say } from "../progress.ts";

export interface LockCommandOptions {
  /** Ask publishers for checksums that are not locked. */
  readonly update: boolean;
}

/**
 * `kindows lock`: lists downloads, and whether their checksums are locked.
 *
 * @returns exit code 0 when all of them are, else 1.
 */
export async function lock({ update }: LockCommandOptions): Promise<number> {
  const files = [...toolFiles(), ...windowsFiles()];
  const states = update ? await updateLock(files, say) : lockedFiles(files);
  process.stdout.write(`${lockedText(states)}\n`);
  return states.every(({ takenFrom, problem }) => takenFrom !== undefined && problem === undefined)
    ? exitCodes.ok
    : exitCodes.failed;
}

function toolFiles(): readonly PublishedFile[] {
  const downloads = Object.values(tools).flatMap((each) =>
    typeof each === "object" ? (each.tool.downloads ?? []) : [],
  );
  return [
    ...downloads,
    ...bundledPlugins.flatMap(pluginDownloads),
    goArchive,
    operatorArchive(calicoRelease(defaultCalicoVersion)),
  ];
}

/** Of Windows nodes: every version that is pinned, with any network. */
function windowsFiles(): readonly PublishedFile[] {
  const known = { checksums: {}, lock: {}, folders: {} };
  const media = kubernetesVersions.flatMap((kubernetes) =>
    containerdVersions.flatMap((containerd) =>
      programArtifacts(officialSoftware({ kubernetes, containerd }, known, podNetworkPrograms)),
    ),
  );
  const files = media.flatMap(([, { uri, origin }]) =>
    origin === "image" ? [] : [{ url: uri, checksumUrl: origin.checksumUri }],
  );
  return [...new Map(files.map((file) => [file.url, file])).values()];
}
