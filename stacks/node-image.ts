import { defaultKubernetes, nodeImages } from "../host/versions.ts";
import type { Settings } from "../config/settings.ts";
import { type BuiltArtifacts, builtSoFar } from "../toolchain/built.ts";

/**
 * The nodes' image: the one in the settings, else the one built on this host, else kind's own. An image is built if no
 * registry is reachable, and only of the default version. After that it is always used, because another image would
 * replace the cluster.
 *
 * @throws if no image is known for the Kubernetes version, which never happens with checked settings.
 */
export function nodeImage(
  { cluster }: Pick<Settings, "cluster">,
  built: Pick<BuiltArtifacts, "nodeImage"> = builtSoFar(),
): string {
  const { nodeImage: chosen, kubernetesVersion } = cluster;
  const ours = isBuiltHere(cluster) ? built.nodeImage?.reference : undefined;
  const image = chosen ?? ours ?? nodeImages[kubernetesVersion];
  if (image === undefined) {
    throw new Error(`no kind node image is known for Kubernetes ${kubernetesVersion}`);
  }
  return image;
}

/** Whether a lab's node image can be built on this host. */
export function isBuiltHere({
  nodeImage,
  kubernetesVersion,
}: Pick<Settings["cluster"], "nodeImage" | "kubernetesVersion">): boolean {
  return nodeImage === undefined && kubernetesVersion === defaultKubernetes;
}

/** What a preview can't see of the image that the settings name; undefined if its digest is there. */
export function nodeImageNote({ nodeImage = "" }: Settings["cluster"]): string | undefined {
  return nodeImage === "" || nodeImage.includes("@sha256:") || isTaggedByContent(nodeImage)
    ? undefined
    : `kindows:cluster.nodeImage ${nodeImage} has no digest: a preview cannot see whether it has changed, and new nodes may get another than the others`;
}

/** Tag of node images built on this host. It is a hash of all inputs, so it pins the image like a digest. */
function isTaggedByContent(image: string): boolean {
  return /^kindest\/node:kindows-[a-f0-9]{12,64}$/.test(image);
}
