import { copyFile, mkdir, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { BundledPlugin } from "../../offline/plugins/catalog.ts";
import type { Artifact, BuildContext } from "../../toolchain/artifact.ts";
import { isInCache } from "../../toolchain/own-cache.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { githubFile } from "../../toolchain/publisher.ts";
import { isExecutable } from "../../host/search-path.ts";
import { fetchDownloads } from "../../toolchain/tools/download.ts";
import { findInstalled } from "../../toolchain/tools/installed.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { languageHost, pulumi } from "../../toolchain/tools/table.ts";
import type { Download, Outcome } from "../../toolchain/tools/tool.ts";

/** What a bundled plugin is made of, relative to the project. */
export const pluginSources: readonly string[] = [
  ...["offline/plugins", "host", "toolchain/program/bundle.ts", "package-lock.json"],
];

type TakeOfficial = (
  plugin: BundledPlugin,
  into: string,
  context: BuildContext,
) => Promise<Outcome>;

/**
 * The official plugin if that is on this host or can be downloaded, else the bundled one. Once built it stays, so that an
 * unreliable network does not change a stack's plugins.
 *
 * @param source if set, only a plugin from there is accepted.
 */
export function pluginArtifact(
  plugin: BundledPlugin,
  source: PluginSource | undefined,
  takeOfficial: TakeOfficial = fromHostOrPublisher,
): Artifact {
  const { name, executable, version } = plugin;
  return {
    name: `plugin-${name}`,
    needs: plugin.kind === "language" && source !== "bundled" ? [pulumi] : [],
    hostPackages: source === "bundled" ? [] : ["curl"],
    // The same for all plugins, since they share code. Bundling takes only a second.
    inputs: async () => ({
      ...(source !== "bundled" && { official: version }),
      ...(source === "official"
        ? { only: source }
        : {
            executable,
            sources: await hashSources(
              projectRoot,
              pluginSources.map((name) => path.join(projectRoot, name)),
              (file) => /\.(ts|sh)$/.test(file),
            ),
          }),
    }),
    build: async (into, context) => {
      if (source !== "bundled") {
        const why = await takeOfficial(plugin, into, context);
        if (why === undefined) {
          context.progress(`the official one, version ${version}`);
          return;
        }
        if (source === "official") {
          throw new Error(
            `KINDOWS_PLUGINS is "official", but ${name} is not available: ${why}. ${howToGet(plugin)}`,
          );
        }
        context.progress(`the bundled one: ${why}`);
      }
      // Loaded only now: loading the bundler takes longer than a run with nothing to do.
      const { bundlePlugins } = await import("../../offline/plugins/bundle.ts");
      await bundlePlugins(into, executable);
    },
  };
}

export function pluginDownloads({ kind, name, executable, version }: BundledPlugin): Download[] {
  if (kind === "language") return [];
  const file = `${executable}-v${version}-linux-amd64.tar.gz`;
  const source = githubFile(`pulumi/pulumi-${name}`, version, file);
  return [{ ...source, members: { [executable]: executable } }];
}

const fromHostOrPublisher: TakeOfficial = async (plugin, into, context) => {
  const file = await officialOnThisHost(plugin, context);
  if (file !== undefined) {
    await mkdir(into, { recursive: true });
    await copyFile(file, path.join(into, plugin.executable));
    return undefined;
  }
  const downloads = pluginDownloads(plugin);
  return downloads.length === 0
    ? "it comes with the official engine, which is not the one that runs here"
    : fetchDownloads(downloads, into, context);
};

export async function officialOnThisHost(
  plugin: BundledPlugin,
  context: BuildContext,
): Promise<string | undefined> {
  for (const file of await pathsOnThisHost(plugin, context)) {
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

async function pathsOnThisHost(
  { kind, name, version, executable }: BundledPlugin,
  context: BuildContext,
): Promise<readonly string[]> {
  if (kind === "language") {
    // It is part of the engine and has no version of its own. The engine may have been built before.
    const engine = await findInstalled(pulumi.tool);
    const installed = "file" in engine ? [path.dirname(await realpath(engine.file))] : [];
    return [
      path.join(context.path(pulumi), languageHost),
      ...installed.map((each) => path.join(each, executable)),
    ];
  }
  const folder = path.join("plugins", `${kind}-${name}-v${version}`, executable);
  const homes = [process.env.PULUMI_HOME || [], path.join(os.homedir(), ".pulumi")].flat();
  const files = homes.map((home) => path.join(home, folder));
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  // In a shell with `kindows env` of any clone it is a link, maybe to a bundled one, which needs what is beside it.
  return files.filter((_, index) => !isInCache(targets[index] ?? ""));
}

function howToGet(plugin: BundledPlugin): string {
  return plugin.kind === "language"
    ? `Install Pulumi ${pulumi.tool.version} and put it on the PATH`
    : `Run \`pulumi plugin install ${plugin.kind} ${plugin.name} v${plugin.version}\``;
}

type PluginSource = "official" | "bundled";

/** Reads `KINDOWS_PLUGINS`. Default: each plugin is the official one if it is available, else the bundled one. */
export function pluginSource(environment: NodeJS.ProcessEnv): PluginSource | undefined {
  const value = environment.KINDOWS_PLUGINS || undefined;
  if (value === undefined || value === "official" || value === "bundled") return value;
  throw new Error(`KINDOWS_PLUGINS is "${value}": it may be "official" or "bundled"`);
}

/** Version of a plugin in the engine's home. The language host has the engine's, because it comes with it. */
export function homeVersion(plugin: BundledPlugin): string {
  return plugin.kind === "language" ? pulumi.tool.version : plugin.version;
}
