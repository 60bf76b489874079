/** What copies of this project need not make again: bundles, and what V8 has compiled of them. */
import { cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";

import { projectRoot } from "../../../../toolchain/project.ts";

interface Bundler {
  readonly freshBundle: (entry: string) => string;
}

const bundles = path.join(".kindows", "program");

/** Bundles a project's programs, unless they are. @returns the entry's bundle */
export async function bundled(folder: string, entry: string): Promise<string> {
  const bundler = path.join(folder, "toolchain/program/fresh-bundle.js");
  return ((await import(bundler)) as Bundler).freshBundle(entry);
}

/** Gives an unchanged copy this project's own bundle, which is the same. */
export async function shareBundle(folder: string): Promise<void> {
  const bundle = path.dirname(await bundled(projectRoot, "index.ts"));
  await cp(bundle, path.join(folder, bundles, path.basename(bundle)), { recursive: true });
}

/** What V8 has compiled for this project and its copies (NODE_COMPILE_CACHE). It goes as outdated bundles do. */
export const compiledHere = path.join(projectRoot, bundles, "test-compiled");

/** Gives a project what V8 has compiled for other copies of it. @returns where */
export async function shareCompiled(folder: string): Promise<string> {
  const compiled = path.join(folder, bundles, "compiled");
  await mkdir(compiledHere, { recursive: true });
  await mkdir(path.dirname(compiled), { recursive: true });
  await symlink(compiledHere, compiled);
  return compiled;
}
