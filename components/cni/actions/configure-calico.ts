/**
 * Host action: waits for Calico's own API, then turns on strict affinity of address blocks and sets fields of Felix's
 * configuration.
 *
 * With strict affinity each address block belongs to one node. A Windows node cannot use addresses of another node's
 * block, and the operator configures Windows nodes only once strict affinity is on.
 *
 * Prints the names of the Felix fields that it has set, so that the next run can remove those no longer in the
 * settings.
 */
import * as z from "zod";

import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  CALICO: z.strictObject({
    felix: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    timeoutSeconds: z.number().positive(),
  }),
};

const api = "/apis/projectcalico.org/v3";

/** Plural and kind of the resources that this action writes. Each has one object, called `default`. */
const kinds = {
  ipamconfigurations: "IPAMConfiguration",
  felixconfigurations: "FelixConfiguration",
} as const;

/** Where the values come from. */
const hints = {
  ipamconfigurations: "strict affinity is what Windows nodes need",
  felixconfigurations: "the fields are those of kindows:cni.calico.felix",
} as const;

/** Fields of a spec; `undefined` removes a field. */
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

interface LiveResource {
  readonly spec?: Readonly<Record<string, unknown>>;
}

await runAction(environment, async ({ KUBECONFIG_CONTENT, CALICO: { felix, timeoutSeconds } }) => {
  const cluster = new ClusterApi(KUBECONFIG_CONTENT);
  const options = { timeoutSeconds, pollMilliseconds: 1000, onChange: say };
  const what = "Calico's API (projectcalico.org/v3, which its API server serves)";
  await waitUntil({ ...options, what }, async () => {
    const { resources } = await cluster.get<{ resources: readonly { name: string }[] }>(api);
    const served = resources.map(({ name }) => name);
    const missing = Object.keys(kinds).filter((plural) => !served.includes(plural));
    return missing.length === 0 ? undefined : `no ${missing.join(", ")} yet`;
  });
  const dropped = Object.fromEntries(earlierFields().map((name) => [name, undefined]));
  const specs = {
    ipamconfigurations: { strictAffinity: true, autoAllocateBlocks: true },
    felixconfigurations: { ...dropped, ...felix },
  };
  for (const plural of ["ipamconfigurations", "felixconfigurations"] as const) {
    // Retried, because the operator may write the same resource at the same time.
    const wait = { what: `${kinds[plural]} default to be set`, hint: hints[plural] };
    await waitUntil({ ...options, ...wait }, async () => {
      const changed = await setFields(cluster, plural, specs[plural]);
      say(`${kinds[plural]} default ${changed ? "is set" : "needs no change"}`);
      return undefined;
    });
  }
  return Object.keys(felix).sort();
});

/** @returns whether the resource had to be changed. */
async function setFields(
  cluster: ClusterApi,
  plural: keyof typeof kinds,
  fields: Fields,
): Promise<boolean> {
  const path = `${api}/${plural}/default`;
  const query = "fieldValidation=Strict";
  const live = await cluster.find<LiveResource>(path);
  const changed = withFields(live?.spec ?? {}, fields);
  if (live === undefined) {
    const made = { apiVersion: "projectcalico.org/v3", kind: kinds[plural] };
    const metadata = { name: "default" };
    await cluster.post(`${api}/${plural}?${query}`, { ...made, metadata, spec: changed ?? {} });
    return true;
  }
  if (changed !== undefined) await cluster.put(`${path}?${query}`, { ...live, spec: changed });
  return changed !== undefined;
}

/** The spec with these fields; undefined if it has them already. */
function withFields(spec: NonNullable<LiveResource["spec"]>, fields: Fields): object | undefined {
  if (Object.entries(fields).every(([name, value]) => spec[name] === value)) return undefined;
  const merged = Object.entries({ ...spec, ...fields });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** Names of the fields that the previous run has set; empty on the first run. */
function earlierFields(): readonly string[] {
  const printed = process.env["PULUMI_COMMAND_STDOUT"];
  return printed ? z.array(z.string()).parse(JSON.parse(printed)) : [];
}
