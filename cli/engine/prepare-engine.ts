import path from "node:path";

import { bundledPlugins } from "../../offline/plugins/catalog.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import { homeVersion, pluginSource, pluginArtifact } from "./plugin-artifact.ts";
import {
  ensureArtifacts,
  type EnsureOptions,
  type EnsuredArtifacts,
} from "../../toolchain/ensure.ts";
import {
  assemblePulumiHome,
  libvirtLinks,
  linkPlugins,
  pluginLink,
} from "../../toolchain/pulumi-home.ts";
import {
  kind,
  kubectl,
  pulumi,
  terraformBridge,
  terraformProviderLibvirt,
} from "../../toolchain/tools/table.ts";

/** Tools that the engine needs for a kind of stack. `existing` creates neither machines nor a cluster. */
export const engineTools = {
  lab: [pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind],
  existing: [pulumi, kubectl],
} as const;

/** Installs the `further` artifacts, then what the engine needs, without daemons and with only builds' packages. */
export async function prepareEngine(
  further: readonly Artifact[],
  options: EnsureOptions,
  needs: keyof typeof engineTools = "lab",
): Promise<EnsuredArtifacts> {
  const source = pluginSource(process.env);
  const plugins = bundledPlugins.map((plugin) => ({
    plugin,
    artifact: pluginArtifact(plugin, source),
  }));
  const ensured = await ensureArtifacts(
    [...further, ...engineTools[needs], ...plugins.map(({ artifact }) => artifact)],
    options,
  );
  const links = plugins.map(({ plugin, artifact }) => ({
    link: pluginLink(plugin.kind, plugin.name, homeVersion(plugin), plugin.executable),
    target: path.join(ensured.path(artifact), plugin.executable),
  }));
  if (needs === "lab") {
    await assemblePulumiHome([...links, ...libvirtLinks(ensured)]);
  } else {
    await linkPlugins(links); // The plugins of labs stay.
  }
  recordBuilt({
    tools: {
      pulumi: path.join(ensured.path(pulumi), "pulumi"),
      kubectl: path.join(ensured.path(kubectl), "kubectl"),
      ...(needs === "lab" && { kind: path.join(ensured.path(kind), "kind") }),
    },
  });
  return ensured;
}
