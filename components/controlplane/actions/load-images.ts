/** Host action: gives the images of archives on this host to nodes in containers, unless they have them already. */
import * as z from "zod";
import { imageArchiveSchema } from "../../image-archives/image-archive.ts";
import { giveImages } from "../../image-archives/give-images.ts";
import { runAction } from "../../host-action/run-action.ts";

export const environment = {
  IMAGES: z.strictObject({ nodes: z.array(z.string()), archives: z.array(imageArchiveSchema) }),
};

await runAction(environment, ({ IMAGES: { nodes, archives } }) => giveImages(nodes, archives));
