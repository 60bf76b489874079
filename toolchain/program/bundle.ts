import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions, type Plugin } from "esbuild";

/** Header of a bundled file: what CommonJS packages expect, and ES modules do not have. */
const commonJs = `
import { createRequire as kindowsRequire } from "node:module";
const require = kindowsRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;
`;

/** ES modules for Node.js. Code that is shared or imported dynamically goes into files of its own. */
export const forNode = {
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node22",
  format: "esm",
  banner: { js: commonJs },
  logLevel: "error",
} as const satisfies BuildOptions;

/** Does not bundle Pulumi's SDK, which the process has already, and imports only the parts that a program needs. */
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

/** What stands for `import.meta` in a bundle: a constant that each source file begins with. */
const sourceMeta = "kindowsSourceMeta";

/**
 * Makes `import.meta` still name the source file: templates, scripts and hashed sources are found by it. esbuild replaces
 * the expression where it is code, so nothing is missed and texts stay as they are.
 */
const sourcePaths: Plugin = {
  name: "source-paths",
  setup(bundler) {
    bundler.initialOptions.define = { "import.meta": sourceMeta };
    bundler.onLoad({ filter: /\.ts$/ }, async ({ path: filename }) => {
      const url = pathToFileURL(filename).href;
      const meta = JSON.stringify({ url, filename, dirname: path.dirname(filename) });
      const text = await readFile(filename, "utf8");
      return { loader: "ts", contents: `const ${sourceMeta} = ${meta};${text}` };
    });
  },
};

/** @param entries TypeScript files in the project `root`. @param folder to write to, with node_modules above it. */
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
    ...forNode,
    // esbuild and prettier need files beside themselves; native add-ons are only optimizations. A process must have
    // only one copy of the SDK's classes, and of the gRPC and protobuf classes that the SDK passes on. The Kubernetes
    // client is larger than everything else, and only kubeconfigs with a credential program or a proxy need it.
    external: [
      "@kubernetes/client-node/*",
      ...["@pulumi/pulumi/*", "@grpc/grpc-js", "google-protobuf/*"],
      ...["esbuild", "prettier", "*.node", "cpu-features"],
    ],
    plugins: [thinSdk, sourcePaths],
    sourcemap: "inline",
    sourcesContent: false,
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("; "));
}
