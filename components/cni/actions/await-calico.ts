/**
 * Host action: waits until Calico's operator reports the given components as available in the wanted version, and the
 * Linux nodes are Ready.
 */
import type { V1NodeList, V1PodList } from "@kubernetes/client-node";
import * as z from "zod";

import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { unreadyReason } from "../../controlplane/unready-reason.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { missingComponents, type TigeraStatus } from "../calico/tigera-status.ts";
import { podTroubles } from "../../../host/kubernetes/pod-state.ts";

const requestSchema = z.object({
  version: z.string(),
  /** Names of TigeraStatus objects, each with the resource that it reports on. */
  components: z.record(z.string(), z.enum(["installations", "apiservers"])),
  /** Not read. A new value makes Pulumi run this action again. */
  network: z.unknown().optional(),
  timeoutSeconds: z.number().positive(),
});

export const environment = { KUBECONFIG_CONTENT: text, CALICO: requestSchema };

const operatorApi = "/apis/operator.tigera.io/v1";

const namespaces = ["tigera-operator", "calico-system"];

interface OperatorResource {
  readonly metadata: { readonly generation?: number };
  readonly status?: { readonly calicoVersion?: string };
}

await runAction(environment, async ({ KUBECONFIG_CONTENT, CALICO: request }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  const names = Object.keys(request.components).join(", ");
  const options = {
    what: `Calico ${request.version} (${names}) and Ready Linux nodes`,
    timeoutSeconds: request.timeoutSeconds,
    pollMilliseconds: 2000,
    onChange: say,
  };
  await waitUntil(options, async () => {
    const missing = [...(await missingParts(api, request)), ...(await unreadyNodes(api))];
    if (missing.length === 0) return undefined;
    return [...missing, ...(await troubles(api))].join("\n  ");
  });
});

async function missingParts(
  api: ClusterApi,
  { components, version }: z.infer<typeof requestSchema>,
): Promise<string[]> {
  const [statuses, installation, apiServer] = await Promise.all([
    api.get<{ items: readonly TigeraStatus[] }>(`${operatorApi}/tigerastatuses`),
    api.get<OperatorResource>(`${operatorApi}/installations/default`),
    api.get<OperatorResource>(`${operatorApi}/apiservers/default`),
  ]);
  const generations = {
    installations: installation.metadata.generation ?? 0,
    apiservers: apiServer.metadata.generation ?? 0,
  };
  const wanted = Object.fromEntries(
    Object.entries(components).map(([name, source]) => [name, generations[source]]),
  );
  const missing = missingComponents(statuses.items, wanted);
  const installed = installation.status?.calicoVersion;
  return missing.length > 0 || installed === `v${version}`
    ? missing
    : [`the operator has installed ${installed ?? "no version"} so far`];
}

async function unreadyNodes(api: ClusterApi): Promise<string[]> {
  const selector = "labelSelector=kubernetes.io%2Fos%3Dlinux";
  const { items } = await api.get<V1NodeList>(`/api/v1/nodes?${selector}`);
  return items.flatMap((node) => {
    const why = unreadyReason(node);
    return why === undefined ? [] : [`node ${node.metadata?.name ?? ""}: ${why}`];
  });
}

async function troubles(api: ClusterApi): Promise<string[]> {
  const lists = await Promise.all(
    namespaces.map((name) => api.get<V1PodList>(`/api/v1/namespaces/${name}/pods`)),
  );
  return podTroubles(lists.flatMap(({ items }) => items));
}
