import { chmod, copyFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { forNode } from "../../toolchain/program/bundle.ts";

/**
 * Bundles the plugins into a folder that needs nothing but Node.js.
 *
 * @param executable name of the plugin's executable
 */
export async function bundlePlugins(folder: string, executable: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, "main.ts")],
    outdir: folder,
    ...forNode,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    // Optional native modules of ssh2.
    external: ["cpu-features", "*.node"],
  });
  const script = path.join(folder, executable);
  await copyFile(path.join(import.meta.dirname, "plugin.sh"), script);
  await chmod(script, 0o755);
}
