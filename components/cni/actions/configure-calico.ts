/**
 * Host action: once Calico's own API is available, sets strict affinity of address blocks, and fields of Felix's
 * configuration. Strict affinity assigns each block to one node: a Windows node cannot take addresses from another's, and
 * the operator waits for it before it configures Windows nodes. Prints the names of Felix's fields; the next run removes those that are no longer set.
 */
import * as z from "zod";

import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
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

/** The resources that are set, by the names of their lists; the only instance of each is called `default`. */
const kinds = {
  ipamconfigurations: "IPAMConfiguration",
  felixconfigurations: "FelixConfiguration",
} as const;

/** Those with `undefined` are removed. */
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
    // The operator sometimes writes the same resources.
    await waitUntil({ ...options, what: `${kinds[plural]} default to be set` }, async () => {
      const changed = await setFields(cluster, plural, specs[plural]);
      say(`${kinds[plural]} default ${changed ? "is set" : "is as it shall be"}`);
      return undefined;
    });
  }
  return Object.keys(felix).sort();
});

/** @returns whether anything had to be changed. */
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

/** A spec with the fields set; undefined if it has them already. */
function withFields(spec: NonNullable<LiveResource["spec"]>, fields: Fields): object | undefined {
  if (Object.entries(fields).every(([name, value]) => spec[name] === value)) return undefined;
  const merged = Object.entries({ ...spec, ...fields });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** What the previous run has set; empty on the first one. */
function earlierFields(): readonly string[] {
  const printed = process.env["PULUMI_COMMAND_STDOUT"];
  return printed ? z.array(z.string()).parse(JSON.parse(printed)) : [];
}
