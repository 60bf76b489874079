import { builtArtifacts } from "../../../toolchain/built.ts";
import { docker } from "./docker.ts";
import { say } from "./run-action.ts";

/** The image kind 0.33 starts in front of several control planes (its pkg/cluster/internal/loadbalancer). */
export const loadBalancerImage = "docker.io/envoyproxy/envoy:v1.36.2";

/** Loading a gigabyte from a slow disk. */
const loadTimeoutSeconds = 600;

/**
 * Loads the images that were built here and that Docker has not (any more). Any other image is left to Docker, which
 * pulls it.
 */
export async function ensureClusterImages(shape: {
  readonly image: string;
  readonly controlPlanes: 1 | 3;
}): Promise<void> {
  const wanted = shape.controlPlanes === 1 ? [shape.image] : [shape.image, loadBalancerImage];
  const built = builtArtifacts();
  for (const image of wanted) {
    const archive = [built.nodeImage, built.loadBalancerImage].find(
      (each) => each?.reference === image,
    )?.archive;
    if (archive !== undefined && !(await isPresent(image))) {
      say(`loading ${image} into Docker`);
      await docker(["load", "--input", archive], { timeoutSeconds: loadTimeoutSeconds });
    }
  }
}

async function isPresent(image: string): Promise<boolean> {
  try {
    await docker(["image", "inspect", "--format", "{{.Id}}", image]);
    return true;
  } catch {
    return false; // Loading it shows what is wrong, if it is anything else.
  }
}
