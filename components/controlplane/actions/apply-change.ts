/** Host action: sets only the given fields of an object of the cluster, by server-side apply. */
import * as z from "zod";
import { messageOf } from "../../../host/failure.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  CHANGE: z.strictObject({
    /** Display name, e.g. `Installation default`. */
    object: z.string(),
    path: z.string().startsWith("/"),
    fields: z.record(z.string(), z.unknown()),
  }),
};

/** Not a lab's manager: the cluster may be a lab, whose fields would be removed. */
const fieldManager = "kindows-existing";

await runAction(environment, async ({ KUBECONFIG_CONTENT, CHANGE: { object, path, fields } }) => {
  try {
    await new ClusterApi(KUBECONFIG_CONTENT).apply(path, fields, fieldManager);
  } catch (error) {
    throw new Error(`${object} could not be set: ${messageOf(error)}`);
  }
  say(`${object} is set`);
});
