import path from "node:path";

import { bundledPlugins } from "../plugins/catalog.ts";
import type { BundledPlugin } from "../plugins/catalog.ts";
import type { Artifact } from "./artifact.ts";
import { recordBuilt } from "./built.ts";
import { homeVersion, pluginSource } from "./engine-plugins.ts";
import { ensureArtifacts } from "./ensure.ts";
import type { EnsureOptions, EnsuredArtifacts } from "./ensure.ts";
import { pluginArtifact } from "./plugin-artifact.ts";
import {
  assemblePulumiHome,
  libvirtProviderPlace,
  pluginPlace,
  terraformBridgePlace,
} from "./pulumi-home.ts";
import type { HomeLink } from "./pulumi-home.ts";
import { kind, kubectl, pulumi, terraformBridge, terraformProviderLibvirt } from "./tools/table.ts";

/** Tools that every stack needs. */
export const engineTools = [pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind];

/**
 * Puts in place what the engine needs, and further artifacts with it: tools, plugins, the engine's home. No daemon and
 * no host package but those that a build asks for.
 *
 * @param further artifacts that are built as well, the ones with the longest way to go first.
 */
export async function prepareEngine(
  further: readonly Artifact[],
  options: EnsureOptions,
): Promise<EnsuredArtifacts> {
  const source = pluginSource(process.env);
  const plugins = bundledPlugins.map((plugin) => ({
    plugin,
    artifact: pluginArtifact(plugin, source),
  }));
  const ensured = await ensureArtifacts(
    [...further, ...engineTools, ...plugins.map(({ artifact }) => artifact)],
    options,
  );
  await assemblePulumiHome(homeLinks(plugins, ensured));
  await recordBuilt({
    tools: {
      pulumi: path.join(ensured.path(pulumi), "pulumi"),
      kubectl: path.join(ensured.path(kubectl), "kubectl"),
      kind: path.join(ensured.path(kind), "kind"),
    },
  });
  return ensured;
}

function homeLinks(
  plugins: readonly { readonly plugin: BundledPlugin; readonly artifact: Artifact }[],
  ensured: EnsuredArtifacts,
): readonly HomeLink[] {
  const links = plugins.map(({ plugin, artifact }) => ({
    place: pluginPlace(plugin.kind, plugin.name, homeVersion(plugin), plugin.executable),
    target: path.join(ensured.path(artifact), plugin.executable),
  }));
  return [
    ...links,
    {
      place: terraformBridgePlace,
      target: path.join(ensured.path(terraformBridge), "pulumi-resource-terraform-provider"),
    },
    {
      place: libvirtProviderPlace,
      target: path.join(ensured.path(terraformProviderLibvirt), "terraform-provider-libvirt"),
    },
  ];
}
