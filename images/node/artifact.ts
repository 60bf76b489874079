import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "../../toolchain/artifact.ts";
import { artifactAddress } from "../../toolchain/cache.ts";
import { requireRoot } from "../../toolchain/require-root.ts";
import { kindBaseFiles } from "../../toolchain/tools/kind-base-files.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";
import { nodePrograms, type ProgramPath } from "./programs.ts";
import { buildNodeImage } from "./build-node-image.ts";

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * kind node image for hosts that cannot pull the official one: Debian packages, programs built from Go modules, and all
 * container images that a new cluster runs.
 *
 * The archive for `docker load` is `image.tar` in the artifact's folder.
 */
export const nodeImage: Artifact = {
  name: "node-image",
  needs: [kindBaseFiles, ...new Set(Object.values(nodePrograms))],
  seconds: 100,
  hostPackages: ["debootstrap"],
  check: () => requireRoot("the node image"),
  inputs: async () => ({ sources: await hashSources(here, [here]) }),
  build: async (into, context) => {
    const reference = await nodeImageReference();
    const kindBase = context.path(kindBaseFiles);
    const program: ProgramPath = (name) => path.join(context.path(nodePrograms[name]), name);
    await buildNodeImage(into, { reference, kubernetesVersion, kindBase, program }, context);
  },
};

/** Reference of the built image. Its tag contains a hash of everything that goes into the image. */
export async function nodeImageReference(): Promise<string> {
  const address = await artifactAddress(nodeImage);
  return `kindest/node:kindows-${address.slice(-16, -4)}`;
}
