import type { SettingsProblem } from "../problem.ts";

/** A file as the settings name it. */
export interface NamedFile {
  readonly path?: string | undefined;
  readonly url?: string | undefined;
  readonly sha256?: string | undefined;
}

/**
 * Nothing is downloaded without a checksum, and each file has one source.
 *
 * @param at where the file stands in the settings.
 * @param sources what may be written to name one.
 */
export function namedFileProblems(
  { path, url, sha256 }: NamedFile,
  at: readonly string[],
  sources = "path or url",
): SettingsProblem[] {
  if (path !== undefined && url !== undefined) {
    return [
      {
        path: [...at, "url"],
        value: url,
        why: "stands beside a path",
        instead: "Write one of them.",
      },
    ];
  }
  if (url !== undefined && sha256 === undefined) {
    return [
      {
        path: [...at, "sha256"],
        value: undefined,
        why: "is missing, and nothing is downloaded without one",
        instead: "Write what the publisher of the file at `url` gives.",
      },
    ];
  }
  return sha256 !== undefined && url === undefined && path === undefined
    ? [
        {
          path: [...at, "sha256"],
          value: sha256,
          why: "is of no file",
          instead: `Write ${sources} as well, or leave it out.`,
        },
      ]
    : [];
}
