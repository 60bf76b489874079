import { join } from "node:path";
import { build } from "esbuild";

/** The project's folder. The paths of the bundle's inputs are relative to it. */
const project = join(import.meta.dirname, "../..");

/**
 * Bundles the guest's program, because one file is read faster than hundreds.
 *
 * @param folder The bundles are written here. Default: they are not written.
 * @returns the sources, relative to the project.
 */
export async function bundleGuestProgram(folder?: string): Promise<readonly string[]> {
  const result = await build({
    absWorkingDir: project,
    entryPoints: ["rehearsal/guest/main.ts", "rehearsal/guest/start.ts"],
    bundle: true,
    platform: "node",
    target: `node${process.versions.node}`,
    format: "cjs",
    // Optional native add-ons of ssh2, which works without them.
    external: ["cpu-features", "*.node"],
    minifySyntax: true,
    metafile: true,
    logLevel: "silent",
    outdir: folder ?? ".",
    write: folder !== undefined,
  });
  return Object.keys(result.metafile.inputs).sort();
}
