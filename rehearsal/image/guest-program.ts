import { join } from "node:path";
import { build } from "esbuild";

/** Folder of this part of the project; the bundle's inputs are named relative to it. */
const project = join(import.meta.dirname, "../..");

/**
 * Bundles what Node.js runs in the guest into one file; a single file is read faster than hundreds.
 *
 * Without `outfile` nothing is written.
 *
 * @returns the source files that went in, relative to the project.
 */
export async function bundleGuestProgram(outfile?: string): Promise<readonly string[]> {
  const result = await build({
    absWorkingDir: project,
    entryPoints: ["rehearsal/guest/main.ts"],
    bundle: true,
    platform: "node",
    target: `node${process.versions.node}`,
    format: "cjs",
    // ssh2 works without these two native add-ons and looks for them each time.
    external: ["cpu-features", "*.node"],
    minifySyntax: true,
    metafile: true,
    logLevel: "silent",
    ...(outfile === undefined ? { write: false, outfile: "main.js" } : { outfile }),
  });
  return Object.keys(result.metafile.inputs).sort();
}
