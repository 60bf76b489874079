import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
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

/** In a bundled file: the way to the project, which a bundle knows only from itself, so that it is the same in every clone. */
const wayToProject = "kindows:way-to-project";

/** What each bundled file begins with: how to name a source file of the project. */
const sourceMetas = `
import { fileURLToPath as kindowsPath } from "node:url";
const kindowsSource = (file) => {
  const url = new URL("${wayToProject}/" + file, import.meta.url);
  return { url: url.href, filename: kindowsPath(url), dirname: kindowsPath(new URL(".", url)).slice(0, -1) };
};
`;

/**
 * Makes `import.meta` still name the source file: templates, scripts and hashed sources are found by it. esbuild replaces
 * the expression where it is code, so nothing is missed and texts stay as they are.
 */
const sourcePaths = (root: string): Plugin => ({
  name: "source-paths",
  setup(bundler) {
    bundler.initialOptions.define = { "import.meta": sourceMeta };
    bundler.onLoad({ filter: /\.ts$/ }, async ({ path: filename }) => {
      const name = relativeUrl(root, filename);
      const text = await readFile(filename, "utf8");
      const contents = `const ${sourceMeta} = kindowsSource(${JSON.stringify(name)});${text}`;
      return { loader: "ts", contents };
    });
  },
});

/** @param entries TypeScript files in the project `root`. @param folder to write to, with node_modules above it. */
export async function bundlePrograms(
  root: string,
  entries: readonly string[],
  folder: string,
): Promise<void> {
  const { warnings, outputFiles } = await build({
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
    banner: { js: `${commonJs}${sourceMetas}` },
    plugins: [thinSdk, sourcePaths(root)],
    sourcemap: "inline",
    sourcesContent: false,
    write: false,
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("; "));
  for (const { path: file, text } of outputFiles) {
    const way = relativeUrl(path.dirname(file), root);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(
      file,
      text.replace(wayToProject, () => way),
    );
  }
}

function relativeUrl(from: string, to: string): string {
  return path.relative(from, to).split(path.sep).map(encodeURIComponent).join("/");
}
