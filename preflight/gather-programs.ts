import { existsSync } from "node:fs";
import { fileNameOf } from "../components/windows/media-folder.ts";
import { programArtifacts } from "../components/windows/software.ts";
import { stackSoftware } from "../components/windows/stack-software.ts";
import type { Settings } from "../config/settings.ts";

/** What of the programs for Windows nodes is missing on this host, by file name. */
export interface ProgramFacts {
  /** Nobody has said which checksum is right. */
  readonly unpinned: readonly string[];
  /** Not in the cache. */
  readonly missing: readonly string[];
}

/** Looks for the programs that are pushed to machines; a rehearsal's are in its image. */
export function gatherPrograms(settings: Settings): ProgramFacts {
  if (settings.windows.image.kind === "rehearsal") {
    return { unpinned: [], missing: [] };
  }
  const artifacts = programArtifacts(stackSoftware(settings)).map(([, artifact]) => artifact);
  const isFetched = ({ origin }: (typeof artifacts)[number]): boolean =>
    origin === "image" || (origin.folder !== undefined && existsSync(origin.folder));
  return {
    unpinned: artifacts.filter(({ sha256 }) => sha256 === undefined).map(fileNameOf),
    missing: artifacts
      .filter((artifact) => artifact.sha256 !== undefined && !isFetched(artifact))
      .map(fileNameOf),
  };
}
