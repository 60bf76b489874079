import { parse, stringify } from "yaml";

import { apiServerPort } from "./cluster-names.ts";

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: ClusterEntry }[];
  readonly users: readonly { readonly user: Readonly<Record<string, unknown>> }[];
}

interface ClusterEntry {
  readonly server: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
}

export interface Reachability {
  /** Name of context, cluster and user. */
  readonly name: string;
  /** Address of the API server, or of what stands in front of it. */
  readonly address: string;
  /** Host name to check the server's certificate against; needed where the address is not in it. */
  readonly serverName?: string;
}

/** An admin kubeconfig of kind's, with names of our own and a server that this host and the machines reach by address. */
export function reachableKubeconfig(kubeconfig: string, reach: Reachability): string {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const cluster = clusters[0]?.cluster;
  const user = users[0]?.user;
  if (cluster === undefined || user === undefined) {
    throw new Error("kind's kubeconfig has no cluster or no user in it");
  }
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: reach.name,
        cluster: {
          ...cluster,
          server: `https://${reach.address}:${apiServerPort}`,
          ...(reach.serverName && { "tls-server-name": reach.serverName }),
        },
      },
    ],
    users: [{ name: reach.name, user }],
    contexts: [{ name: reach.name, context: { cluster: reach.name, user: reach.name } }],
    "current-context": reach.name,
  });
}

/** Host of a kubeconfig's API server, without port: an address where `reachableKubeconfig` wrote it. */
export function serverAddress(kubeconfig: string): string {
  return new URL(firstCluster(kubeconfig).server).hostname;
}

/** PEM certificate of a kubeconfig's certificate authority. */
export function certificateAuthority(kubeconfig: string): string {
  const data = firstCluster(kubeconfig)["certificate-authority-data"];
  if (data === undefined) {
    throw new Error(
      "the kubeconfig has no certificate-authority-data: it must carry the CA itself",
    );
  }
  return Buffer.from(data, "base64").toString("utf8");
}

function firstCluster(kubeconfig: string): ClusterEntry {
  const cluster = (parse(kubeconfig) as Partial<Kubeconfig> | null)?.clusters?.[0]?.cluster;
  if (cluster === undefined) {
    throw new Error("the kubeconfig has no cluster in it");
  }
  return cluster;
}
