/** Prints one progress line of a build step. */
export type Progress = (line: string) => void;

/** What a build may use while it runs. */
export interface BuildContext {
  /** One progress line; the caller adds the artifact's name and the elapsed time. */
  readonly progress: Progress;
  /** Folder of an artifact in `needs`, which is complete before the build starts. */
  path(needed: Artifact): string;
  /** The build's log file, whose end is shown if the build fails. */
  readonly logFile: string;
  /** Folder of incomplete downloads, which the next build resumes. */
  readonly downloads: string;
}

/**
 * Anything that is built once and kept in the cache: a tool, an image, a bundled plugin.
 *
 * Its folder in the cache is named by a hash of `name`, `inputs` and the addresses of `needs`, so a change of any
 * of them is a new artifact and never touches the old one.
 */
export interface Artifact {
  /** Name of its folder in the cache and in progress lines, e.g. `pulumi` or `rehearsal-image`. */
  readonly name: string;
  /** Inputs: versions, flags, hashes of source files. Order does not matter. */
  inputs(): Promise<Readonly<Record<string, string>>>;
  /** Artifacts that have to be built first. */
  readonly needs: readonly Artifact[];
  /** Debian packages that the build needs on the host; installed if missing, with a message. */
  readonly hostPackages: readonly string[];
  /** Throws if it cannot be built here; called before anything is built. Default: it can. */
  check?(): Promise<void>;
  /** Fills `into`, an empty folder, which is renamed into the cache after it returns. */
  build(into: string, context: BuildContext): Promise<void>;
}
