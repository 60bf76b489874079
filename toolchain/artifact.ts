/** Where a build step reports what it is doing; one call is one progress line. */
export type Progress = (line: string) => void;

/** What a build may use while it runs. */
export interface BuildContext {
  /** One progress line; the caller adds the artifact's name and the elapsed time. */
  readonly progress: Progress;
  /** Folder of an artifact named in `needs`: it is complete before the build starts. */
  path(needed: Artifact): string;
  /** Appends to the build's log file; shown (its tail) only when the build fails. */
  readonly logFile: string;
  /** Folder of downloads under way, kept when a build fails: the next one goes on with them. */
  readonly downloads: string;
}

/**
 * Anything that is made once and kept in the cache: a tool, an image, a bundled plugin.
 *
 * Its folder in the cache is named by a hash of `name`, `inputs` and the addresses of `needs`, so a change of any
 * of them is a new artifact and never touches the old one.
 */
export interface Artifact {
  /** Name of its folder in the cache and in progress lines, e.g. `pulumi` or `rehearsal-image`. */
  readonly name: string;
  /** What goes in: versions, flags, hashes of source files. Order does not matter. */
  inputs(): Promise<Readonly<Record<string, string>>>;
  /** Artifacts that must be there first. */
  readonly needs: readonly Artifact[];
  /** Debian packages the build needs on the host; installed only when missing, after saying so. */
  readonly hostPackages: readonly string[];
  /** Throws what would keep it from being made here; asked before anything is made. Default: nothing would. */
  check?(): Promise<void>;
  /** Makes the content below `into`, an empty folder; renamed into the cache only after it returns. */
  build(into: string, context: BuildContext): Promise<void>;
}
