import { examineArchives } from "./image-archives.ts";
import type { HostProblem } from "../../config/host-problem.ts";
import { pathText, SettingsError } from "../../config/problem.ts";
import { Cache } from "../../toolchain/cache.ts";

export interface ImageArchiveFacts {
  /** Size of their content, in GiB. */
  readonly gib: number;
  readonly problems: readonly HostProblem[];
}

/** Examines the archives of images. They were read before, unless this is the doctor and they have changed. */
export async function gatherImageArchives(
  {
    cluster: { imageArchives },
  }: { readonly cluster: { readonly imageArchives: readonly string[] } },
  cache = new Cache(),
): Promise<ImageArchiveFacts> {
  try {
    const archives = await examineArchives(imageArchives, "", cache, () => undefined);
    return { gib: archives.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 3, problems: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const problems = error.problems.map(({ path, value, why, instead }) => ({
      subject: `${pathText(path)}: ${JSON.stringify(value)}`,
      why,
      instead,
    }));
    return { gib: 0, problems };
  }
}

export function checkImageArchives(
  _settings: unknown,
  { imageArchives }: { readonly imageArchives: ImageArchiveFacts },
): HostProblem[] {
  return [...imageArchives.problems];
}
