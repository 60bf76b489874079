import { chmod, copyFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { commonJs } from "../toolchain/program/bundle.ts";

/**
 * Bundles the plugins into a folder that needs nothing but Node.js.
 *
 * @param executable of the plugin that the engine is to find there
 */
export async function bundlePlugins(folder: string, executable: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, "main.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // What a plugin imports when it needs it is a file of its own, which takes no time before.
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: { js: commonJs },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    // Optional native modules of ssh2.
    external: ["cpu-features", "*.node"],
    logLevel: "error",
  });
  const script = path.join(folder, executable);
  await copyFile(path.join(import.meta.dirname, "plugin.sh"), script);
  await chmod(script, 0o755);
}
