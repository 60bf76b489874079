import path from "node:path";
import { localRegistry } from "../../config/local-registry.ts";
import { archiveName } from "../../images/node/build-node-image.ts";
import { registryImage } from "../../images/registry/artifact.ts";
import type { StackPart } from "./stack-part.ts";

/** The image of the lab's registry, where it is built here. */
export const registryPart: StackPart = {
  artifact: registryImage,
  note: (folder) =>
    Promise.resolve({
      registryImage: { reference: localRegistry.image, archive: path.join(folder, archiveName) },
    }),
};
