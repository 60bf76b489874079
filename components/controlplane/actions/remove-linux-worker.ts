/**
 * Host action: drains a Linux worker for a limited time, deletes its Node and removes its container. Succeeds if any of
 * them, or the whole cluster, does not exist any more.
 */
import * as z from "zod";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { clusterLabel } from "../../../config/names.ts";
import { labelledContainers, removeContainers } from "../../../host/docker.ts";
import { drainAndDelete } from "../drain.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

/** Longest wait for an answer of the API server, in seconds. A cluster that does not answer counts as gone. */
const apiTimeoutSeconds = 10;

export const environment = {
  KUBECONFIG_CONTENT: text,
  WORKER: z.object({ name: z.string(), cluster: z.string() }),
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, WORKER: { name, cluster } }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT, apiTimeoutSeconds);
  await drainAndDelete(api, { name, drainTimeoutSeconds: 60, say });
  const present = (await labelledContainers(`${clusterLabel}=${cluster}`)).filter(
    (each) => each === name,
  );
  await removeContainers(present);
  say(present.length > 0 ? `removed the container ${name}` : `there is no container ${name}`);
});
