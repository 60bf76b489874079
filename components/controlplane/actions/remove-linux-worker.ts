/**
 * Host action: drains a Linux worker for a bounded time, deletes its node, and removes its container; fine when any of
 * them, or the whole cluster, is gone.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; WORKER, a JSON object with `name` (of
 * container and node) and `cluster`.
 */
import * as z from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { clusterLabel } from "../../../config/names.ts";
import { labelledContainers, removeContainers } from "../../../host/docker.ts";
import { drainAndDelete } from "./drain-and-delete.ts";
import { runAction, say } from "../../host-action/run-action.ts";

/** Longest wait for an answer of the API server, in seconds: a cluster that gives none counts as gone. */
const apiTimeoutSeconds = 10;

await runAction(async () => {
  const { name, cluster } = parameter(
    "WORKER",
    z.looseObject({ name: z.string(), cluster: z.string() }),
  );
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"), apiTimeoutSeconds);
  await drainAndDelete(api, { name, drainTimeoutSeconds: 60 });
  const present = (await labelledContainers(`${clusterLabel}=${cluster}`)).filter(
    (each) => each === name,
  );
  await removeContainers(present);
  say(present.length > 0 ? `removed the container ${name}` : `there is no container ${name}`);
});
