import type { Settings } from "../config/settings.ts";
import { type BuiltArtifacts, builtSoFar } from "../toolchain/built.ts";

/** kind 0.33.0's own images, by digest as on its release page. */
const official: Readonly<Record<string, string>> = {
  "1.36.4":
    "kindest/node:v1.36.4@sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed",
};

/**
 * The nodes' image: the one in the settings, else the one built on this host, else kind's own. An image is built if no
 * registry is reachable. After that it is always used, because another image would replace the cluster.
 *
 * @throws if no image is known for the Kubernetes version.
 */
export function nodeImage(
  settings: Settings,
  built: Pick<BuiltArtifacts, "nodeImage"> = builtSoFar(),
): string {
  const { nodeImage: chosen, kubernetesVersion } = settings.cluster;
  const image = chosen ?? built.nodeImage?.reference ?? official[kubernetesVersion];
  if (image === undefined) {
    throw new Error(
      `no kind node image is known for Kubernetes ${kubernetesVersion}: ` +
        `set kindows:cluster.nodeImage to an image, by digest`,
    );
  }
  return image;
}
