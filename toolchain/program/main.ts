/** Bundles the Pulumi program, plugins, command and host actions into a folder, for fresh-bundle.js. */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { projectRoot } from "../project.ts";
import { bundlePrograms } from "./bundle.ts";

/** An outdated bundle is kept this long, because a program that runs from it may still load further parts. */
const keptHours = 24;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: main.ts <folder to write>");
const bundles = path.dirname(folder);
await mkdir(bundles, { recursive: true });
// Two programs may start at once, and either may be killed, so the folder is created atomically.
const building = await mkdtemp(`${folder}-`);
try {
  await bundlePrograms(projectRoot, await programs(), building);
  await rename(building, folder).catch(async (error: unknown) => {
    await stat(folder).catch(() => {
      throw error;
    });
  });
} finally {
  await rm(building, { recursive: true, force: true });
}
for (const name of await readdir(bundles)) {
  const other = path.join(bundles, name);
  const { mtimeMs } = await stat(other).catch(() => ({ mtimeMs: Date.now() }));
  if (other !== folder && Date.now() - mtimeMs > keptHours * 3_600_000) {
    await rm(other, { recursive: true, force: true });
  }
}

/** Entry points: the program, the plugins, the command, and the files in components' folders `actions`. Relative to the project. */
async function programs(): Promise<string[]> {
  const files = await readdir(path.join(projectRoot, "components"), { recursive: true });
  const actions = files.filter((file) => /(^|\/)actions\/[^/]+\.ts$/.test(file)).sort();
  return [
    "index.ts",
    "cli/main.ts",
    "offline/plugins/main.ts",
    "policy/pack.ts",
    ...actions.map((file) => path.join("components", file)),
  ];
}
