/**
 * Host action: gives the images of archives on this host to all nodes in containers that lack them, each archive read
 * once. Starts the containers of workers, which join later.
 */
import * as z from "zod";
import { imageArchiveSchema } from "../../image-archives/image-archive.ts";
import { giveImages } from "../../image-archives/give-images.ts";
import { runAction } from "../../host-action/run-action.ts";
import { workerSchema } from "../worker-container.ts";
import { startWorker } from "./start-worker.ts";

export const environment = {
  IMAGES: z.strictObject({
    controlPlanes: z.array(z.string()),
    workers: z.array(workerSchema),
    archives: z.array(imageArchiveSchema),
  }),
};

await runAction(environment, async ({ IMAGES: { controlPlanes, workers, archives } }) => {
  await Promise.all(workers.map(startWorker));
  await giveImages([...controlPlanes, ...workers.map(({ name }) => name)], archives);
});
