import { readFile } from "node:fs/promises";
import path from "node:path";

export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** The engine plugin that the package belongs to. */
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

/** package.json of a folder; undefined if there is none. @throws if it is not JSON. */
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

interface Package {
  readonly folder: string;
  readonly json: PackageJson;
}

/** The package that Node.js would load for a file in `from`; undefined if it is not installed. */
export function findPackage(name: string, from: string): Promise<Package | undefined> {
  return nearest(from, path.join("node_modules", name));
}

/** The nearest folder at or above `from` that has a package.json: the root of the program. */
export function findProject(from: string): Promise<Package | undefined> {
  return nearest(from, "");
}

async function nearest(from: string, below: string): Promise<Package | undefined> {
  for (let at = path.resolve(from); ; at = path.dirname(at)) {
    const folder = path.join(at, below);
    const json = await readPackageJson(folder);
    if (json !== undefined) return { folder, json };
    if (at === path.dirname(at)) return undefined;
  }
}
