import { parse, stringify } from "yaml";
import * as z from "zod";

export const apiServerPort = 6443;

const text = z.string().optional();

const clusterSchema = z.looseObject({
  server: z.string().refine((url) => URL.canParse(url), "is no URL"),
  "certificate-authority-data": text,
  "tls-server-name": text,
});

const userSchema = z.looseObject({
  "client-certificate-data": text,
  "client-key-data": text,
  token: text,
  exec: z.looseObject({ command: text }).optional(),
});

/** The first cluster and user: kind writes one of each. */
const configSchema = z.looseObject({
  clusters: z.tuple([z.looseObject({ cluster: clusterSchema })], z.unknown()),
  users: z.tuple([z.looseObject({ user: userSchema })], z.unknown()),
});

/** Longest kubeconfig of one cluster, in characters. */
const longest = 1024 ** 2;

interface Reachability {
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

/** The same kubeconfig for another computer. @param server `host:port`, a name or address in the server's certificate. */
export function remoteKubeconfig(kubeconfig: string, server: string): string {
  const config = configSchema.parse(parsedYaml(kubeconfig));
  const { cluster } = config.clusters[0];
  delete cluster["tls-server-name"];
  cluster.server = `https://${server}`;
  return stringify(config);
}

/** Host of a kubeconfig's API server, without port: an address if `reachableKubeconfig` wrote it. */
export function serverAddress(kubeconfig: string): string {
  return new URL(entries(kubeconfig).cluster.server).hostname;
}

interface Credentials {
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

function entries(kubeconfig: string): {
  cluster: z.output<typeof clusterSchema>;
  user: z.output<typeof userSchema>;
} {
  const { data, error } = configSchema.safeParse(parsedYaml(kubeconfig));
  if (error !== undefined) {
    // Paths only: the values are secret.
    const place = error.issues[0]?.path.join(".") ?? "";
    throw new Error(
      `the kubeconfig has no cluster or no user in it${place === "" ? "" : ` (see ${place})`}`,
    );
  }
  return { cluster: data.clusters[0].cluster, user: data.users[0].user };
}

/** Undefined for what is not YAML, or too long or too entangled for a kubeconfig. */
function parsedYaml(text: string): unknown {
  if (text.length > longest) return undefined;
  try {
    // Without warnings, which show the line.
    return parse(text, { logLevel: "error" });
  } catch {
    return undefined;
  }
}
