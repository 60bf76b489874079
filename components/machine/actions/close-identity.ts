/**
 * Host action: makes a machine's identity disk one that only its owner may read: the SSH host key is on it.
 *
 * Environment: VOLUME, a JSON object with the libvirt connection `uri`, the `pool`, and the volume's `name`.
 */
import * as z from "zod";
import { parameter } from "../../host-action/environment.ts";
import { runAction } from "../../host-action/run-action.ts";
import { closeVolume } from "./closed-volume.ts";

await runAction(async () => {
  const { uri, pool, name } = parameter(
    "VOLUME",
    z.object({ uri: z.string(), pool: z.string(), name: z.string() }),
  );
  await closeVolume(uri, pool, name);
});
