import { join } from "node:path";
import { build } from "esbuild";

/** Folder of this part of the project; the bundle's inputs are named relative to it. */
const project = join(import.meta.dirname, "../..");

/** One file is read faster than hundreds. @param folder gets them. @returns the sources, relative to the project. */
export async function bundleGuestProgram(folder?: string): Promise<readonly string[]> {
  const result = await build({
    absWorkingDir: project,
    entryPoints: ["rehearsal/guest/main.ts", "rehearsal/guest/start.ts"],
    bundle: true,
    platform: "node",
    target: `node${process.versions.node}`,
    format: "cjs",
    // ssh2 works without these two native add-ons and looks for them each time.
    external: ["cpu-features", "*.node"],
    minifySyntax: true,
    metafile: true,
    logLevel: "silent",
    outdir: folder ?? ".",
    write: folder !== undefined,
  });
  return Object.keys(result.metafile.inputs).sort();
}
