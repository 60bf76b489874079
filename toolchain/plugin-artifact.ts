import path from "node:path";

import { bundledPlugins } from "../plugins/catalog.ts";
import type { BundledPlugin } from "../plugins/catalog.ts";
import type { Artifact } from "./artifact.ts";
import { projectRoot } from "./project.ts";
import { hashSources } from "./tools/sources-hash.ts";

const folder = path.join(projectRoot, "plugins");

const artifacts = new Map<BundledPlugin, Artifact>(
  bundledPlugins.map((plugin) => [plugin, makeArtifact(plugin)]),
);

/** The artifact of a bundled plugin: a single executable file, named as the engine wants it. */
export function pluginArtifact(plugin: BundledPlugin): Artifact {
  const artifact = artifacts.get(plugin);
  if (artifact === undefined) {
    throw new Error(`${plugin.name} is not in the catalog of bundled plugins`);
  }
  return artifact;
}

function makeArtifact({ name, executable }: BundledPlugin): Artifact {
  return {
    name: `plugin-${name}`,
    needs: [],
    hostPackages: [],
    // All of plugins/, since they share code, and the lock file for the libraries that go in. Bundling takes a second.
    inputs: async () => ({
      executable,
      sources: await hashSources(folder, [folder], (file) => file.endsWith(".ts")),
      libraries: await hashSources(projectRoot, [path.join(projectRoot, "package-lock.json")]),
    }),
    build: async (into) => {
      // Loaded only now: the bundler takes longer to load than all else that a run with nothing to do needs.
      const { bundlePlugin } = await import("../plugins/bundle.ts");
      await bundlePlugin(name, path.join(into, executable));
    },
  };
}
