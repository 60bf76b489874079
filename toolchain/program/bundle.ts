import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** The start of a bundled file: what packages in CommonJS expect around them, and a module does not have. */
const commonJs = `
import { createRequire as kindowsRequire } from "node:module";
const require = kindowsRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;
`;

/** Leaves the engine's SDK where it is, in the process already, and takes only the parts of it that a program needs. */
const thinSdk: Plugin = {
  name: "thin-sdk",
  setup(bundler) {
    const own = (file: string): { path: string } => ({
      path: path.join(import.meta.dirname, file),
    });
    bundler.onResolve({ filter: /^@pulumi\/pulumi(\/index\.js)?$/ }, () => own("sdk.ts"));
    bundler.onResolve({ filter: /^@pulumi\/pulumi\/runtime(\/index\.js)?$/ }, () =>
      own("sdk-runtime.ts"),
    );
  },
};

/** A file's own place stays that of the source: templates and scripts are read from beside it. */
const placesOfSources: Plugin = {
  name: "places-of-sources",
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => ({
      loader: "ts",
      contents: (await readFile(file, "utf8"))
        .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(file).href))
        .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(path.dirname(file))),
    }));
  },
};

/**
 * Bundles programs into ES modules for Node.js. What several of them import, and what is imported dynamically, gets
 * files of its own.
 *
 * @param root the project; absolute
 * @param entries TypeScript files, relative to it; each becomes `<its path>.mjs`
 * @param folder where they are written; below a folder with the project's node_modules
 * @throws when a file cannot be read or an import leads nowhere
 */
export async function bundlePrograms(
  root: string,
  entries: readonly string[],
  folder: string,
): Promise<void> {
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    outbase: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    // esbuild and prettier find files of their own beside themselves; native add-ons are only speed-ups.
    external: ["@pulumi/pulumi/*", "esbuild", "prettier", "*.node", "cpu-features"],
    banner: { js: commonJs },
    plugins: [thinSdk, placesOfSources],
    // Whoever reads an error's stack wants to see where in the sources it was.
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "error",
  });
  if (warnings.length > 0) {
    throw new Error(warnings.map(({ text }) => text).join("; "));
  }
}
