/**
 * Host action: removes golden images that are not the base of any machine's disk from a lab's pool. Succeeds if the
 * images or the pool do not exist.
 *
 * `--unused` keeps the image for new machines. Without it, when the lab is deleted, that image is removed too.
 */
import * as z from "zod";
import { runAction, say } from "../../host-action/run-action.ts";
import { parseVolume, unusedImages } from "./pool-volumes.ts";
import { lines } from "../../../host/host.ts";
import { virsh } from "../../../host/virsh.ts";

export const environment = {
  IMAGES: z.object({
    uri: z.string(),
    pool: z.string(),
    keep: z.string(),
    /** Prefix of the images' names. Default: the pool's name. */
    prefix: z.string().optional(),
  }),
};

await runAction(environment, async ({ IMAGES: { uri, pool, keep, prefix = pool } }) => {
  if (!lines(await virsh(uri, "pool-list", "--name")).includes(pool)) return;
  // A killed upload leaves a file that libvirt only sees after a refresh.
  await virsh(uri, "pool-refresh", pool);
  // Each line has a name and a path. Names in a lab's pool contain no spaces.
  const names = lines(await virsh(uri, "vol-list", pool)).map((line) => line.split(/\s/)[0] ?? "");
  const volumes = await Promise.all(
    names.map(async (name) => parseVolume(await virsh(uri, "vol-dumpxml", "--pool", pool, name))),
  );
  const unused = process.argv.includes("--unused");
  for (const name of unusedImages(prefix, volumes, unused ? keep : undefined)) {
    say(`removing the image ${name}`);
    await virsh(uri, "vol-delete", "--pool", pool, name);
  }
});
