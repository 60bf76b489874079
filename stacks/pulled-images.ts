import { podNetworks } from "../components/cni/pod-networks.ts";
import { loadBalancerReference } from "../components/controlplane/load-balancer.ts";
import { linuxHere } from "../components/image-archives/archived-images.ts";
import { nodeImages } from "../images/windows/bake.ts";
import { isMadeFromIso } from "../config/sections/windows-image.ts";
import { localRegistry } from "../config/local-registry.ts";
import { controlPlaneNames, labNames, linuxWorkerName } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import { type BuiltArtifacts, builtSoFar } from "../toolchain/built.ts";
import { nodeImage } from "./node-image.ts";
import { stackSoftware } from "../components/windows/stack-software.ts";
import { imageSource } from "../config/image-sources.ts";

interface PulledImage {
  /** The node; `(Docker)` for what Docker on this host pulls, `(Windows image)` for what the build of an image pulls. */
  readonly node: string;
  readonly platform: string;
  /** With registry, and tag or digest. */
  readonly image: string;
}

type Built = Pick<BuiltArtifacts, "nodeImage" | "loadBalancerImage" | "registryImage">;

/** The images that `up` pulls, unless they are there already. */
export function pulledImages(settings: Settings, built: Built = builtSoFar()): PulledImage[] {
  return [
    ...inDocker(settings, built).map((image) => ({ node: "(Docker)", platform: onLinux, image })),
    ...onLinuxNodes(settings),
    ...onWindowsNodes(settings),
  ];
}

const onLinux = `${linuxHere.os}/${linuxHere.architecture}`;

/** The images of kind's containers, which carry those of Kubernetes itself, and of the registry. */
function inDocker(settings: Settings, built: Built): string[] {
  const { cluster, registry } = settings;
  const node = nodeImage(settings, built);
  return [
    ...(node === built.nodeImage?.reference ? [] : [node]),
    ...(cluster.controlPlanes > 1 && built.loadBalancerImage === undefined
      ? [loadBalancerReference]
      : []),
    ...(registry && built.registryImage === undefined ? [localRegistry.image] : []),
  ];
}

/** The images of Linux nodes, which archives may contain. */
export function onLinuxNodes({ lab, cluster, cni, linuxNodes }: Settings): PulledImage[] {
  const { kindCluster } = labNames(lab.name);
  const nodes = [
    ...controlPlaneNames(kindCluster, cluster.controlPlanes),
    ...cluster.workers.map(({ name }) => linuxWorkerName(kindCluster, name)),
    ...linuxNodes.map(({ name }) => name),
  ];
  const images = podNetworks[cni.kind].linuxImages?.(cni) ?? [];
  return nodes.flatMap((node) => images.map((image) => ({ node, platform: onLinux, image })));
}

function onWindowsNodes(settings: Settings): PulledImage[] {
  const { windows, nodes, ownNodes } = settings;
  if (!imageSource(settings).pullsImages) return [];
  const pulling = [
    ...(isMadeFromIso(windows.image) && nodes.length > 0
      ? ["(Windows image)"]
      : nodes.map(({ name }) => name)),
    ...ownNodes.map(({ name }) => name),
  ];
  const images = nodeImages(settings, stackSoftware(settings));
  return pulling.flatMap((node) =>
    images.map((image) => ({ node, platform: "windows/amd64", image })),
  );
}
