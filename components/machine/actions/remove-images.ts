/**
 * Host action: removes golden images from a lab's pool; fine when they, or the pool, are gone already.
 *
 * Without an argument all of them, as the lab goes; with `--unused` only those that no machine stands on, and never the
 * one that new machines start from.
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
    /** Of the volumes' names. Default: the pool's name. */
    prefix: z.string().optional(),
  }),
};

await runAction(environment, async ({ IMAGES: { uri, pool, keep, prefix = pool } }) => {
  if (!lines(await virsh(uri, "pool-list", "--name")).includes(pool)) return;
  // A killed upload leaves a file that libvirt only sees after a look.
  await virsh(uri, "pool-refresh", pool);
  // Name and path; a lab's names have no blanks.
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
