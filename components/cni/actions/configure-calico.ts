/**
 * Host action: once Calico's own API is available, sets strict affinity of address blocks, and fields of Felix's
 * configuration. Prints the names of those fields; the next run removes those that are no longer set.
 */
import * as z from "zod";

import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { calicoResources, withFields, type CalicoResource } from "../calico/configuration.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  CALICO: z.strictObject({
    felix: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    timeoutSeconds: z.number().positive(),
  }),
};

const api = "/apis/projectcalico.org/v3";

interface LiveResource {
  readonly spec?: Readonly<Record<string, unknown>>;
}

await runAction(environment, async ({ KUBECONFIG_CONTENT, CALICO: { felix, timeoutSeconds } }) => {
  const cluster = new ClusterApi(KUBECONFIG_CONTENT);
  const options = {
    what: "Calico's API (projectcalico.org/v3, which its API server serves)",
    timeoutSeconds,
    pollMilliseconds: 1000,
    onChange: say,
  };
  await waitUntil(options, async () => {
    const { resources } = await cluster.get<{ resources: readonly { name: string }[] }>(api);
    const missing = calicoResources({ felix }).filter(
      ({ plural }) => !resources.some(({ name }) => name === plural),
    );
    return missing.length === 0
      ? undefined
      : `no ${missing.map(({ plural }) => plural).join(", ")} yet`;
  });
  for (const resource of calicoResources({ felix }, earlierFields())) {
    // The operator sometimes writes the same resources.
    await waitUntil({ ...options, what: `${resource.kind} default to be set` }, async () => {
      const changed = await setResource(cluster, resource);
      say(`${resource.kind} default ${changed ? "is set" : "is as it shall be"}`);
      return undefined;
    });
  }
  return Object.keys(felix).sort();
});

/** @returns whether anything had to be changed. */
async function setResource(
  cluster: ClusterApi,
  { kind, plural, spec }: CalicoResource,
): Promise<boolean> {
  const path = `${api}/${plural}/default`;
  const query = "fieldValidation=Strict";
  const live = await cluster.find<LiveResource>(path);
  if (live === undefined) {
    const made = { apiVersion: "projectcalico.org/v3", kind, metadata: { name: "default" } };
    await cluster.post(`${api}/${plural}?${query}`, { ...made, spec: withFields({}, spec) ?? {} });
    return true;
  }
  const changed = withFields(live.spec ?? {}, spec);
  if (changed !== undefined) {
    await cluster.put(`${path}?${query}`, { ...live, spec: changed });
  }
  return changed !== undefined;
}

/** What the previous run has set; empty on the first one. */
function earlierFields(): readonly string[] {
  const printed = process.env["PULUMI_COMMAND_STDOUT"];
  return printed ? z.array(z.string()).parse(JSON.parse(printed)) : [];
}
