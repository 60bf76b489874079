import { builtSoFar } from "../../../toolchain/built.ts";
import { loadBalancerReference, standInLabel } from "../load-balancer-image/reference.ts";
import { docker } from "../../../host/docker.ts";
import { say } from "../../host-action/run-action.ts";

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
  const wanted = shape.controlPlanes === 1 ? [shape.image] : [shape.image, loadBalancerReference];
  const built = builtSoFar();
  for (const image of wanted) {
    const archive = [built.nodeImage, built.loadBalancerImage].find(
      (each) => each?.reference === image,
    )?.archive;
    if (archive !== undefined && (await docker(["images", "--quiet", image])) === "") {
      say(`loading ${image} into Docker`);
      await docker(["load", "--input", archive], { timeoutSeconds: loadTimeoutSeconds });
    }
  }
}

/**
 * Removes the image that stands in for Envoy, so that nobody takes it for the real one later. It stays while another
 * cluster uses it, and the real one stays anyway.
 */
export async function dropStandIn(): Promise<void> {
  try {
    const template = `{{index .Config.Labels "${standInLabel}"}}`;
    const label = await docker(["image", "inspect", "--format", template, loadBalancerReference]);
    if (label !== "") {
      await docker(["image", "rm", loadBalancerReference]);
      say(`removed the placeholder image for ${loadBalancerReference}`);
    }
  } catch {
    // There is none, or it is in use.
  }
}
