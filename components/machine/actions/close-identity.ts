/** Host action: makes a machine's identity disk one that only its owner may read: the SSH host key is on it. */
import * as z from "zod";
import { runAction } from "../../host-action/run-action.ts";
import { closeVolume } from "./closed-volume.ts";

export const environment = {
  VOLUME: z.object({ uri: z.string(), pool: z.string(), name: z.string() }),
};

await runAction(environment, ({ VOLUME: { uri, pool, name } }) => closeVolume(uri, pool, name));
