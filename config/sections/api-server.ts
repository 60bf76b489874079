import * as z from "zod";
import { parse } from "yaml";
import { type Check, repeated, type SettingsProblem, unless } from "../problem.ts";
import { hostName } from "../values/dns-name.ts";
import { ipv4 } from "../values/ip-address.ts";
import { between, text } from "../values/value.ts";
import type { KindPatches } from "./kind-patches.ts";

/** Every address of this host. */
const everywhere = "0.0.0.0";

const certificateName = text(hostName).meta({
  placeholder: (index: number) => `unnamed-${String(index)}.invalid`,
});

/** How the API server is reached from other computers. */
export const apiServer = z.strictObject({
  address: text(ipv4("Write an address of this host, or 0.0.0.0 for all.")).meta({
    description:
      "Address of this host on which other computers reach the API server; it is in the server's certificate.",
    placeholder: () => "127.0.0.1",
  }),
  port: between(1, 65_535)
    .default(6443)
    .meta({ description: "Port of this host for the API server." }),
  certSANs: z.array(certificateName).default([]).meta({
    description:
      "Further names and addresses in the server's certificate, by which other computers reach this host. The first one is in the kubeconfig for them.",
  }),
});

export type ApiServer = z.output<typeof apiServer>;

/** `host:port` by which other computers reach the API server. */
export function remoteServer({ address, port, certSANs: [first] }: ApiServer): string {
  return `${first ?? address}:${port}`;
}

interface ReachedCluster {
  readonly cluster: {
    readonly apiServer?: ApiServer | undefined;
    readonly kindPatches?: KindPatches | undefined;
  };
}

const at = (...path: readonly (string | number)[]) => ["cluster", "apiServer", ...path];

export const apiServerReached: Check<ReachedCluster> = {
  reads: ["cluster.apiServer", "cluster.kindPatches"],
  run: ({ cluster: { apiServer, kindPatches = {} } }) => {
    if (apiServer === undefined) return [];
    const { address, port, certSANs } = apiServer;
    const { extraPortMappings = [], kubeadmConfigPatches = [] } = kindPatches;
    return [
      ...unless(address !== everywhere || certSANs.length > 0, {
        path: at("certSANs"),
        why: `has no name in it, and ${everywhere} is no address that another computer could use`,
        instead: "Write the names or addresses of this host by which others reach it.",
      }),
      ...repeated(certSANs, (name) => name).map(({ index }) => ({
        path: at("certSANs", index),
        why: "is listed twice",
        instead: "Remove one of them.",
      })),
      ...(["apiServerAddress", "apiServerPort"] as const).flatMap((key) =>
        unless(kindPatches[key] === undefined, {
          path: ["cluster", "kindPatches", key],
          why: "is set together with kindows:cluster.apiServer",
          instead: "Write only one of them.",
        }),
      ),
      ...extraPortMappings.flatMap(({ hostPort, protocol = "TCP" }, index) =>
        unless(hostPort !== port || protocol !== "TCP", {
          path: ["cluster", "kindPatches", "extraPortMappings", index, "hostPort"],
          why: "is the port of kindows:cluster.apiServer",
          instead: "Write another port here or there.",
        }),
      ),
      ...kubeadmConfigPatches.flatMap((patch, index): SettingsProblem[] =>
        unless(!namesServer(patch), {
          path: ["cluster", "kindPatches", "kubeadmConfigPatches", index],
          value: patch,
          why: "sets apiServer.certSANs, as kindows:cluster.apiServer does",
          instead: "Write its names into kindows:cluster.apiServer.certSANs.",
        }),
      ),
    ];
  },
};

const certSANsPatch = z.object({ apiServer: z.object({ certSANs: z.unknown() }) });

/** @param patch is YAML, as has been checked before. */
function namesServer(patch: string): boolean {
  return certSANsPatch.safeParse(parse(patch)).data?.apiServer.certSANs !== undefined;
}
