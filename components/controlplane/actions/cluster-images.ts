import { createReadStream } from "node:fs";
import path from "node:path";
import { writeWhole } from "../../../host/write-whole.ts";
import { builtSoFar } from "../../../toolchain/built.ts";
import { loadedFolder, ownCache } from "../../../toolchain/own-cache.ts";
import { loadBalancerReference, standInLabel } from "../load-balancer.ts";
import { docker, hasImage } from "../../../host/docker.ts";
import { say } from "../../host-action/run-action.ts";

/** Enough to load a gigabyte from a slow disk. */
const loadTimeoutSeconds = 600;

/** Loads the images of a cluster that were built on this host into Docker if they are missing there. */
export async function ensureClusterImages(shape: {
  readonly image: string;
  readonly controlPlanes: 1 | 3;
}): Promise<void> {
  await ensureImage(shape.image);
  if (shape.controlPlanes > 1) await ensureImage(loadBalancerReference);
}

/** Loads an image into Docker if it was built on this host and is missing there. Docker pulls all others itself. */
export async function ensureImage(image: string): Promise<void> {
  const { nodeImage, loadBalancerImage, registryImage } = builtSoFar();
  const archive = [nodeImage, loadBalancerImage, registryImage].find(
    (each) => each?.reference === image,
  )?.archive;
  if (archive === undefined || (await hasImage(image))) return;
  say(`loading ${image} into Docker`);
  // Others' caches may have loaded the same image; only who has this note removes it.
  writeWhole(path.join(loadedFolder(ownCache()), encodeURIComponent(image)), "");
  // By standard input, because the command may not read hidden folders where snap confines it.
  const input = createReadStream(archive);
  await docker(["load"], { input, timeoutSeconds: loadTimeoutSeconds });
}

/**
 * Removes an image that stands in for another, so that it is not mistaken for the real one later. The real image is kept,
 * and so is the stand-in while another lab uses it.
 */
export async function dropStandIn(image: string): Promise<void> {
  try {
    const template = `{{index .Config.Labels "${standInLabel}"}}`;
    const label = await docker(["image", "inspect", "--format", template, image]);
    if (label !== "") {
      await docker(["image", "rm", image]);
      say(`removed the placeholder image for ${image}`);
    }
  } catch {
    // The image does not exist, or it is in use.
  }
}
