import { access, constants } from "node:fs/promises";
import path from "node:path";

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
export async function probeTools(searchPath = process.env["PATH"] ?? ""): Promise<ToolFacts> {
  const names = Object.keys(providerTools) as (keyof typeof providerTools)[];
  const found = await Promise.all(names.map((name) => isOnPath(name, searchPath)));
  return { missing: names.filter((_, index) => found[index] === false) };
}

async function isOnPath(name: string, searchPath: string): Promise<boolean> {
  const places = searchPath.split(path.delimiter).map((folder) => path.join(folder, name));
  const runnable = await Promise.all(
    places.map((place) =>
      access(place, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return runnable.includes(true);
}
