import type { Artifact } from "../artifact.ts";
import type { PublishedFile } from "../publisher.ts";

/** A folder of the cache with a tool's executables. Its sources are tried in this order; all give the same files. */
export interface Tool {
  readonly name: string;
  /** Version without a leading `v`. */
  readonly version: string;
  /** How long Go takes for it: see `Artifact`. */
  readonly seconds?: number;
  readonly installed?: InstalledTool;
  /** Official downloads; undefined if there are none, or the tool is only needed without internet access. */
  readonly downloads?: readonly Download[];
  readonly go: GoBuild;
}

export interface InstalledTool {
  /** Arguments that print the version within a few seconds and without network. */
  readonly versionArguments: readonly string[];
  /** Further executables beside the tool, copied if they exist; by their names in the artifact. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Matches the version, without a leading `v`, in the output: first group. */
  readonly versionPattern: RegExp;
}

export type DownloadContent =
  | { readonly executable: string }
  /** Archive members by their names in the artifact's folder. */
  | { readonly members: Readonly<Record<string, string>> };

export type Download = PublishedFile & DownloadContent;

export interface GoBuild {
  readonly module: string;
  readonly packages: Readonly<Record<string, string>>;
  /** Values set at link time, by full variable name. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  /** Builds the packages' own tests, not programs. */
  readonly tests?: boolean;
  /** A module whose release does not fit the others: texts in its files that are replaced before it is compiled. */
  readonly patch?: {
    readonly module: string;
    readonly changes: readonly {
      readonly file: string;
      readonly from: string;
      readonly to: string;
    }[];
  };
  /** Builds for Windows, with Go's library for Wine (windows-goroot-overlay.ts) and aligned (page-aligned.ts). */
  readonly forWine?: boolean;
}

export interface ToolArtifact extends Artifact {
  readonly tool: Tool;
}

/** Undefined if the tool is in the folder now, else why it is not; empty if the tool has no such source. */
export type Outcome = string | undefined;
