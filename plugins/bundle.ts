import { chmod } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

/**
 * Bundles one plugin into a single executable JavaScript file that needs nothing but Node.js.
 * @param name folder below plugins/
 * @param output file to write
 */
export async function bundlePlugin(name: string, output: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, name, "main.ts")],
    outfile: output,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    // Optional native modules of ssh2.
    external: ["cpu-features", "*.node"],
    logLevel: "error",
  });
  await chmod(output, 0o755);
}
