import type { Artifact } from "../artifact.ts";
import type { PublishedFile } from "../publisher.ts";

/**
 * A pinned tool: one folder of the cache with its executables. It is had in one of three ways, tried in this order;
 * all three give the same files, so which one it was does not go into the address.
 */
export interface Tool {
  /** Name of the artifact. */
  readonly name: string;
  /** Version without a leading `v`. */
  readonly version: string;
  /** How to find it on the host. Only for tools that run on the host itself. */
  readonly installed?: InstalledTool;
  /** The official downloads that have its executables; left out where there are none, or nobody with a way out needs it. */
  readonly downloads?: readonly Download[];
  /** How it is built from Go modules, where it can't be downloaded. */
  readonly go: GoBuild;
}

/** A tool with a single executable on the host's PATH. */
export interface InstalledTool {
  /** Prints the version within a few seconds and without network. */
  readonly versionArguments: readonly string[];
  /** Executables beside it that are taken with it where they are there, by the file that each becomes. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Finds the version, without a leading `v`, in what is printed: first group. */
  readonly versionPattern: RegExp;
}

/** A file for linux/amd64: an executable, or an archive (.tar.gz, .zip) with some. */
export type Download = PublishedFile &
  (
    | { readonly executable: string }
    /** Members by the file that each becomes, below the artifact's folder. */
    | { readonly members: Readonly<Record<string, string>> }
  );

export interface GoBuild {
  /** Folder with go.mod and a go.sum that is complete for it; absolute. */
  readonly module: string;
  /** Package of each executable in the artifact's folder. */
  readonly packages: Readonly<Record<string, string>>;
  /** Values set at link time, by full variable name. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  /** Default: linux. */
  readonly os?: "linux" | "windows";
  /**
   * Whether they are built for Wine: against a standard library for it (windows-goroot-overlay.ts), and so that it can
   * map them (page-aligned.ts). Default: no.
   */
  readonly forWine?: boolean;
}

/** An artifact that is a tool. */
export interface ToolArtifact extends Artifact {
  readonly tool: Tool;
}

/** Nothing when the tool is in the folder now, else why not; empty where the table has no such way for it. */
export type Outcome = string | undefined;
