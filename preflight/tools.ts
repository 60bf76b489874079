import { findOnPath } from "../host/search-path.ts";

/** Programs libvirt's provider starts, and what for. */
export const providerTools = {
  mkisofs: "writes the machines' identity disks",
  xsltproc: "completes the machines' descriptions",
} as const;

/** Which of them are missing. */
export interface ToolFacts {
  readonly missing: readonly (keyof typeof providerTools)[];
}

/** Looks for them on the PATH, as the provider will. */
export async function gatherTools(searchPath = process.env["PATH"] ?? ""): Promise<ToolFacts> {
  const names = Object.keys(providerTools) as (keyof typeof providerTools)[];
  const found = await Promise.all(names.map((name) => findOnPath(name, searchPath)));
  return { missing: names.filter((_, index) => found[index] === undefined) };
}
