import path from "node:path";

import { stackSettings } from "../cli/stack-settings.ts";
import { loadBalancerImage } from "../components/controlplane/load-balancer-image/artifact.ts";
import { loadBalancerReference } from "../components/controlplane/load-balancer-image/reference.ts";
import { nodeImage, nodeImageReference } from "../components/controlplane/node-image/artifact.ts";
import { archiveName } from "../components/controlplane/node-image/build-node-image.ts";
import type { Settings } from "../config/settings.ts";
import type { Artifact, Progress } from "./artifact.ts";
import { recordBuilt } from "./built.ts";
import type { BuiltArtifacts } from "./built.ts";
import { ensureDocker, ensureLibvirt } from "./daemons.ts";
import { choosePlugins, homeVersion, pluginSource } from "./engine-plugins.ts";
import type { ChosenPlugin } from "./engine-plugins.ts";
import { ensureArtifacts } from "./ensure.ts";
import type { EnsuredArtifacts } from "./ensure.ts";
import { ensureHostPackages } from "./host-packages.ts";
import { requiredPackages } from "./host-requirements.ts";
import { mustBuildNodeImage } from "./node-image-choice.ts";
import { pluginArtifact } from "./plugin-artifact.ts";
import { assemblePulumiHome, pluginPlace, terraformProviderPlace } from "./pulumi-home.ts";
import type { HomeLink } from "./pulumi-home.ts";
import { kind, kubectl, pulumi, terraformBridge, terraformProviderLibvirt } from "./tools/table.ts";

const terraformProviderName = "dmacvicar/libvirt";

/**
 * Puts in place all that a stack needs on this host: packages, daemons, tools, images, the engine's home. What is there
 * stays as it is; when all of it is, this takes well under a second.
 *
 * @param stack name of the stack, whose settings say what it needs.
 * @throws with what to do, when something is missing that it may not or cannot get by itself.
 */
export async function prepare(stack: string, say: Progress = toStandardError): Promise<void> {
  const settings = await stackSettings(stack);
  const ensurePackages = (names: readonly string[]): Promise<void> =>
    ensureHostPackages(names, say);
  const options = { progress: say, ensurePackages };
  await ensurePackages(await requiredPackages(settings));
  await Promise.all([ensureDocker(options), ensureLibvirt(settings.hypervisor.uri, say)]);

  const plugins = await choosePlugins(pluginSource(process.env));
  const images = await imagesFor(settings, say);
  const ensured = await ensureArtifacts(
    [...images, ...tools, ...plugins.flatMap(bundledArtifact)],
    options,
  );

  await assemblePulumiHome(homeLinks(plugins, ensured));
  await recordBuilt(await whatIsBuilt(images, ensured));
}

/** Tools that every stack needs. */
const tools = [pulumi, terraformBridge, terraformProviderLibvirt, kubectl, kind];

/** Images to build, the one with the longest way to go first. */
async function imagesFor(settings: Settings, say: Progress): Promise<readonly Artifact[]> {
  const images: Artifact[] = [];
  if (await mustBuildNodeImage(settings, say)) {
    images.push(nodeImage);
    if (settings.cluster.controlPlanes > 1) {
      images.push(loadBalancerImage);
    }
  }
  return images;
}

function bundledArtifact({ plugin, official }: ChosenPlugin): readonly Artifact[] {
  return official === undefined ? [pluginArtifact(plugin)] : [];
}

function homeLinks(
  plugins: readonly ChosenPlugin[],
  ensured: EnsuredArtifacts,
): readonly HomeLink[] {
  const executableOf = (artifact: Artifact, executable: string): string =>
    path.join(ensured.path(artifact), executable);
  return [
    ...plugins.map(({ plugin, official }) => ({
      place: pluginPlace(
        plugin.kind,
        plugin.kind === "language" ? plugin.name.replace("language-", "") : plugin.name,
        homeVersion(plugin),
        plugin.executable,
      ),
      target: official ?? executableOf(pluginArtifact(plugin), plugin.executable),
    })),
    {
      place: pluginPlace(
        "resource",
        "terraform-provider",
        terraformBridge.tool.version,
        "pulumi-resource-terraform-provider",
      ),
      target: executableOf(terraformBridge, "pulumi-resource-terraform-provider"),
    },
    {
      place: terraformProviderPlace(terraformProviderName, terraformProviderLibvirt.tool.version),
      target: executableOf(terraformProviderLibvirt, "terraform-provider-libvirt"),
    },
  ];
}

async function whatIsBuilt(
  images: readonly Artifact[],
  ensured: EnsuredArtifacts,
): Promise<BuiltArtifacts> {
  const image = (artifact: Artifact, reference: string): BuiltArtifacts["nodeImage"] =>
    images.includes(artifact)
      ? { reference, archive: path.join(ensured.path(artifact), archiveName) }
      : undefined;
  return {
    tools: {
      pulumi: path.join(ensured.path(pulumi), "pulumi"),
      kubectl: path.join(ensured.path(kubectl), "kubectl"),
      kind: path.join(ensured.path(kind), "kind"),
    },
    nodeImage: image(nodeImage, await nodeImageReference()),
    loadBalancerImage: image(loadBalancerImage, loadBalancerReference),
  };
}

function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
