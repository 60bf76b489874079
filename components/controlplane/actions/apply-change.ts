/**
 * Host action: sets some fields of an object of the cluster, and nothing else of it, by server-side apply.
 *
 * Environment: KUBECONFIG_CONTENT (secret); CHANGE, a JSON object of `object`, as people call it, `path` of it in the
 * API, and `fields`.
 */
import * as z from "zod";

import { messageOf } from "../../../host/failure.ts";
import { parameter, textParameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";

const changeSchema = z.strictObject({
  object: z.string(),
  path: z.string().startsWith("/"),
  fields: z.record(z.string(), z.unknown()),
});

await runAction(async () => {
  const { object, path, fields } = parameter("CHANGE", changeSchema);
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  try {
    await api.apply(path, fields);
  } catch (error) {
    throw new Error(`${object} could not be set: ${messageOf(error)}`);
  }
  say(`${object} is set`);
});
