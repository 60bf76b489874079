import path from "node:path";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { Cache, artifactAddress } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { downloadArtifact } from "./download-artifact.ts";
import {
  programArtifacts,
  officialSoftware,
  type KnownPrograms,
  type WindowsSoftware,
  type WindowsVersions,
} from "./software.ts";
import type { PublishedProgram } from "../cni/published-program.ts";

/**
 * Fetches the official Windows software into this host's cache, for Pulumi programs that use the components without the
 * command `kindows`. A preview fetches nothing.
 *
 * @param ofPodNetwork programs of the pod network.
 * @throws if a download fails. A program without a checksum is not fetched; the component that installs it refuses it.
 */
export async function fetchedSoftware(
  versions: WindowsVersions,
  checksums: KnownPrograms["checksums"],
  ofPodNetwork: Readonly<Record<string, PublishedProgram>> = {},
): Promise<WindowsSoftware> {
  const known = { checksums, lock: readSoftwareLock(softwareLockFile), folders: {} };
  const software = officialSoftware(versions, known, ofPodNetwork);
  const artifacts = new Map(
    programArtifacts(software).flatMap(([, { uri, sha256 }]) =>
      sha256 === undefined ? [] : [[sha256, downloadArtifact({ uri, sha256 })] as const],
    ),
  );
  const cache = new Cache();
  if (!isDryRun()) {
    await ensureArtifacts([...artifacts.values()], { cache });
  }
  const folders: Record<string, string> = {};
  for (const [sha256, artifact] of artifacts) {
    const address = await artifactAddress(artifact);
    if ((await cache.state(address)).kind === "complete") {
      folders[sha256] = path.join(cache.entryFolder(address), sha256);
    }
  }
  return officialSoftware(versions, { ...known, folders }, ofPodNetwork);
}
