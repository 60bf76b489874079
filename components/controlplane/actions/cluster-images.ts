import { createReadStream } from "node:fs";
import path from "node:path";
import { writeWhole } from "../../../host/write-whole.ts";
import { builtSoFar } from "../../../toolchain/built.ts";
import { loadedFolder, ownCache } from "../../../toolchain/own-cache.ts";
import { loadBalancerReference, standInLabel } from "../load-balancer.ts";
import { docker } from "../../../host/docker.ts";
import { say } from "../../host-action/run-action.ts";

/** Enough to load a gigabyte from a slow disk. */
const loadTimeoutSeconds = 600;

/**
 * Loads images that were built on this host into Docker if they are missing there. Docker pulls all others itself.
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
      // Others' caches may have loaded the same image; only who has this note removes it.
      writeWhole(path.join(loadedFolder(ownCache()), encodeURIComponent(image)), "");
      // By standard input, because the command may not read hidden folders where snap confines it.
      const input = createReadStream(archive);
      await docker(["load"], { input, timeoutSeconds: loadTimeoutSeconds });
    }
  }
}

/**
 * Removes the image that stands in for Envoy, so that it is not mistaken for the real one later. The real image is
 * kept, and so is the stand-in while another cluster uses it.
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
    // The image does not exist, or it is in use.
  }
}
