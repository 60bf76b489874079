import { parse, stringify } from "yaml";

export const apiServerPort = 6443;

interface ClusterEntry {
  readonly server: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
}

interface UserEntry {
  readonly "client-certificate-data"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly exec?: { readonly command?: string };
}

export interface Reachability {
  readonly name: string;
  readonly address: string;
  /** Host name to check the server's certificate against, if that does not contain the address. */
  readonly serverName?: string;
}

/** kind's admin kubeconfig, with other names and an address that this host and the machines can reach. */
export function reachableKubeconfig(kubeconfig: string, reach: Reachability): string {
  const { cluster, user } = entries(kubeconfig);
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

/** Host of a kubeconfig's API server, without port: an address if `reachableKubeconfig` wrote it. */
export function serverAddress(kubeconfig: string): string {
  return new URL(entries(kubeconfig).cluster.server).hostname;
}

export interface Credentials {
  readonly server: string;
  /** Host name to check the server's certificate against, if it differs from the host of `server`. */
  readonly serverName?: string;
  /** PEM certificate of the cluster's authority. */
  readonly ca: string;
  readonly certificate?: string;
  /** PEM key of the user; secret. */
  readonly key?: string;
  readonly token?: string;
  /** Program on this host that prints a token, or a certificate and key. */
  readonly exec?: string;
}

/** @throws if a certificate is missing and there is no token. */
export function credentials(kubeconfig: string): Credentials {
  const { cluster, user } = entries(kubeconfig);
  const server = {
    server: cluster.server,
    serverName: cluster["tls-server-name"],
    ca: pem("certificate-authority-data", cluster["certificate-authority-data"]),
  };
  if (user.token !== undefined) {
    const { "client-certificate-data": certificate, "client-key-data": key } = user;
    // Of both, the API server looks at the certificate first.
    const both = certificate !== undefined && key !== undefined;
    return {
      ...server,
      token: user.token,
      ...(both && {
        certificate: pem("client-certificate-data", certificate),
        key: pem("client-key-data", key),
      }),
    };
  }
  if (user.exec !== undefined) return { ...server, exec: user.exec.command ?? "" };
  return {
    ...server,
    certificate: pem("client-certificate-data", user["client-certificate-data"]),
    key: pem("client-key-data", user["client-key-data"]),
  };
}

function pem(name: string, base64: string | undefined): string {
  if (base64 === undefined) {
    throw new Error(`the kubeconfig has no ${name}: it must carry its certificates itself`);
  }
  return Buffer.from(base64, "base64").toString("utf8");
}

/** First cluster and user: kind writes one of each. */
function entries(kubeconfig: string): { cluster: ClusterEntry; user: UserEntry } {
  const config = parse(kubeconfig) as {
    readonly clusters?: readonly { readonly cluster: ClusterEntry }[];
    readonly users?: readonly { readonly user: UserEntry }[];
  } | null;
  const cluster = config?.clusters?.[0]?.cluster;
  const user = config?.users?.[0]?.user;
  if (cluster === undefined || user === undefined) {
    throw new Error("the kubeconfig has no cluster or no user in it");
  }
  return { cluster, user };
}
