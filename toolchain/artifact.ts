export type Progress = (line: string) => void;

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

/** Anything that is built once and kept in the cache, in a folder named by a hash of `name`, `inputs` and all `needs`. */
export interface Artifact {
  /** Name of its folder in the cache and in progress lines, e.g. `pulumi` or `rehearsal-image`. */
  readonly name: string;
  /** Inputs: versions, flags, hashes of source files. Order does not matter. */
  inputs(): Promise<Readonly<Record<string, string>>>;
  readonly needs: readonly Artifact[];
  /** Debian packages that the build needs on the host; installed if missing, with a message. */
  readonly hostPackages: readonly string[];
  /** Estimate of how long it takes to build on two idle cores: the longest chain starts first. Default: a few seconds. */
  readonly seconds?: number;
  /** What its build compiles. Artifacts with the same value take turns, so that each uses what the last one compiled. */
  readonly shares?: string;
  /** Throws if it cannot be built here; called before anything is built. Default: it can. */
  check?(): Promise<void>;
  build(into: string, context: BuildContext): Promise<void>;
}
