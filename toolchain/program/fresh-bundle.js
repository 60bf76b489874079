import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const root = path.join(import.meta.dirname, "..", "..");
const bundles = path.join(root, ".kindows", "program");

/** Folders of the bundles' sources. Includes more than they import: unnecessary bundling is better than a stale bundle. */
const sources = [
  ...["index.ts", "stacks", "components", "config", "host", "images", "cli", "toolchain"],
  ...["offline/plugins", "rehearsal", "verify", "policy", "package-lock.json"],
];

/**
 * Bundles a program with everything it imports, unless the bundle of the same sources exists. Node.js then reads one
 * file instead of hundreds and need not transpile.
 *
 * Written in JavaScript, because it runs before anything could transpile it.
 *
 * @param {string} entry the TypeScript file, relative to the project: index.ts, cli/main.ts, or a host action's
 * @returns {string} absolute path of a module
 */
export function freshBundle(entry) {
  const folder = path.join(bundles, hashOf(sources.flatMap(filesBelow)));
  if (!existsSync(folder)) {
    const bundler = path.join(root, "toolchain", "program", "main.ts");
    // Standard output is kept for a host action's result; standard error becomes the error's message.
    const stdio = ["ignore", "ignore", "pipe"];
    execFileSync(process.execPath, ["--import", "tsx", bundler, folder], { cwd: root, stdio });
  }
  return path.join(folder, entry.replace(/\.ts$/, ".mjs"));
}

/**
 * Loads a program's bundle, or its sources if it cannot be bundled (the folder may be read-only).
 *
 * @param {string} entry as for a bundle
 */
export async function loadProgram(entry) {
  let file;
  try {
    file = freshBundle(entry);
    // What V8 compiles is kept, also by the processes that this one starts. It goes when bundles do (main.ts).
    const compiled = path.join(bundles, "compiled");
    enableCompileCache(compiled);
    process.env.NODE_COMPILE_CACHE ??= compiled;
  } catch {
    const { register } = await import("tsx/esm/api");
    register();
    file = path.join(root, entry);
  }
  return import(pathToFileURL(file).href);
}

/** The TypeScript files at or below a path, in a fixed order, or the named file of any kind. */
function filesBelow(name) {
  const start = path.join(root, name);
  const found = statSync(start, { throwIfNoEntry: false });
  if (!found?.isDirectory()) {
    return found === undefined ? [] : [start];
  }
  return readdirSync(start, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => path.join(start, file));
}

/** Hash of the files' contents, and of their paths in the project. */
function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}
