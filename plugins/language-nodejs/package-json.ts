import { readFile } from "node:fs/promises";
import path from "node:path";

/** What a host reads from a package.json. */
export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Says which engine plugin the package belongs to. */
  readonly pulumi?: {
    readonly resource?: boolean;
    readonly name?: string;
    readonly version?: string;
    readonly server?: string;
    readonly parameterization?: {
      readonly name: string;
      readonly version: string;
      /** base64 */
      readonly value: string;
    };
  };
}

/** package.json of a folder, or undefined where there is none. @throws when it is not JSON. */
export async function readPackageJson(folder: string): Promise<PackageJson | undefined> {
  const file = path.join(folder, "package.json");
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as PackageJson;
  } catch (error) {
    throw new Error(`${file} is not valid JSON`, { cause: error });
  }
}

/** Folder from which Node.js would load a package for a file in `from`, or undefined when it is not installed. */
export async function findPackage(
  name: string,
  from: string,
): Promise<{ folder: string; json: PackageJson } | undefined> {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", name);
    const json = await readPackageJson(candidate);
    if (json !== undefined) return { folder: candidate, json };
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** The nearest folder at or above `from` that has a package.json: the root of the program. */
export async function findProject(
  from: string,
): Promise<{ folder: string; json: PackageJson } | undefined> {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const json = await readPackageJson(folder);
    if (json !== undefined) return { folder, json };
    if (folder === path.dirname(folder)) return undefined;
  }
}
