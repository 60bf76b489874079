import type { Artifact } from "../../toolchain/artifact.ts";
import type { BuiltArtifacts } from "../../toolchain/built.ts";

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
