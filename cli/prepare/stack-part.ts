import path from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import type { BuiltArtifacts } from "../../toolchain/built.ts";
import { recordedSha256 } from "../../toolchain/cache-marker.ts";

/** Something besides tools that is built or converted for a stack. */
export interface StackPart {
  readonly artifact: Artifact;
  /** What this clone notes of it. @param folder where it is in the cache. */
  note(this: void, folder: string): Promise<Omit<BuiltArtifacts, "tools">>;
  /**
   * Generous estimates of it and of what it is made from, in GiB, where they are large. Not in the artifacts, because
   * an artifact's own sources determine its address.
   */
  readonly largeGiB?: readonly (readonly [Artifact, number])[];
}

/** A disk that machines start from is identified by its content, which differs with each build. */
export async function builtDisk(
  folder: string,
  name: string,
): Promise<{ path: string; hash: string }> {
  const hash = (await recordedSha256(folder, name)).slice(0, 12);
  return { path: path.join(folder, name), hash };
}
