import type { JoinSecret } from "./join-secret.ts";

/** What a JoinConfiguration says about this join. */
export interface JoinSettings {
  readonly nodeName: string;
  /** host:port */
  readonly apiServerEndpoint: string;
  readonly criSocket: string;
  /** `name=value:Effect,...`; empty for none, not even kubeadm's defaults. */
  readonly taints: string;
  readonly secret: JoinSecret;
  /** Seconds the join may take: a third to find the cluster, all of them in each other phase. */
  readonly timeoutSeconds: number;
}

/** kubeadm's configuration of a join (v1beta4, Kubernetes 1.31 and later). It contains the token. */
export function joinConfiguration(settings: JoinSettings): string {
  const limit = `${settings.timeoutSeconds}s`;
  return JSON.stringify(
    {
      apiVersion: "kubeadm.k8s.io/v1beta4",
      kind: "JoinConfiguration",
      discovery: {
        bootstrapToken: {
          apiServerEndpoint: settings.apiServerEndpoint,
          token: settings.secret.token,
          caCertHashes: settings.secret.caCertHashes,
        },
      },
      nodeRegistration: {
        name: settings.nodeName,
        criSocket: settings.criSocket,
        taints: parseTaints(settings.taints),
      },
      timeouts: {
        discovery: `${Math.floor(settings.timeoutSeconds / 3)}s`,
        tlsBootstrap: limit,
        kubeletHealthCheck: limit,
      },
    },
    undefined,
    2,
  );
}

function parseTaints(taints: string): { key: string; value: string; effect: string }[] {
  return taints
    .split(",")
    .filter((taint) => taint !== "")
    .map((taint) => {
      const [pair = "", effect = ""] = taint.split(":", 2);
      const [key = "", value = ""] = pair.split("=", 2);
      return { key, value, effect };
    });
}
