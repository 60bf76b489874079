import {
  ApiException,
  CoreV1Api,
  type KubeConfig,
  type V1Node,
  type V1Taint,
} from "@kubernetes/client-node";
import { publicKeyHash } from "../../host/kubernetes/ca-cert-hash.ts";
import { rehearsedBuild, rehearsedWindows } from "../../rehearsal/machine/windows-version.ts";
import { serverTime, tcpProbe } from "../../rehearsal/machine/probes.ts";
import type { FakeCluster, FakeJoin, FakeNode } from "./fake-cluster.ts";

/**
 * A real API server for fake nodes: a join's token and CA hash are checked against it, and the Node object is created
 * in it.
 *
 * A fake kubelet has no client certificate of its own, so this uses the rights of the given kubeconfig.
 */
export class ApiServerCluster implements FakeCluster {
  readonly #core: CoreV1Api;
  readonly #caHash: string;

  constructor(kubeconfig: KubeConfig) {
    this.#core = kubeconfig.makeApiClient(CoreV1Api);
    this.#caHash = publicKeyHash(
      Buffer.from(kubeconfig.getCurrentCluster()?.caData ?? "", "base64"),
    );
  }

  readonly connect = tcpProbe;
  readonly serverTime = serverTime;

  async authorize(join: FakeJoin): Promise<void> {
    if (!join.caCertHashes.includes(this.#caHash)) {
      throw new Error(
        "cluster CA found in cluster-info ConfigMap is invalid: none of the public keys is pinned",
      );
    }
    const [id = "", secret = ""] = join.token.split(".");
    const data = await this.#tokenData(`bootstrap-token-${id}`);
    const text = (key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString();
    const expired = text("expiration") !== "" && Date.parse(text("expiration")) < Date.now();
    const mayJoin = text("usage-bootstrap-authentication") === "true" && !expired;
    if (text("token-secret") !== secret || !mayJoin) {
      throw new Error(
        `could not find a JWS signature in the cluster-info ConfigMap for token ID "${id}"`,
      );
    }
  }

  async register(node: FakeNode): Promise<void> {
    const body = nodeObject(node);
    try {
      await this.#core.createNode({ body });
    } catch (error) {
      if (!hasCode(error, 409)) throw error;
      // Like a kubelet, keeps the labels and taints of an existing Node.
    }
    await this.#core.replaceNodeStatus({
      name: node.name,
      body: { ...(await this.#core.readNode({ name: node.name })), status: body.status },
    });
  }

  async #tokenData(name: string): Promise<Record<string, string> | undefined> {
    try {
      return (await this.#core.readNamespacedSecret({ name, namespace: "kube-system" })).data;
    } catch (error) {
      if (hasCode(error, 404)) return undefined;
      throw error;
    }
  }
}

/** The Node that a fake kubelet registers, with an annotation that says so. */
function nodeObject(node: FakeNode): V1Node {
  const now = new Date();
  return {
    metadata: {
      name: node.name,
      labels: {
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/os": "windows",
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/windows-build": `10.0.${rehearsedWindows.build}`,
        ...node.labels,
      },
      annotations: { "kindows.dev/rehearsal": "fake" },
    },
    spec: node.taints.length > 0 ? { taints: node.taints.map(parseTaint) } : {},
    status: {
      addresses: [
        { type: "InternalIP", address: node.address },
        { type: "Hostname", address: node.name },
      ],
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "FakeKubelet",
          message: "a fake kubelet says so: nothing runs on this node",
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
      nodeInfo: {
        architecture: "amd64",
        bootID: "",
        containerRuntimeVersion: "fake://0",
        kernelVersion: rehearsedBuild,
        kubeProxyVersion: "",
        kubeletVersion: `v${node.kubeletVersion}`,
        machineID: node.name,
        operatingSystem: "windows",
        osImage: `${rehearsedWindows.productName} (rehearsal)`,
        systemUUID: "",
      },
    },
  };
}

function parseTaint(taint: string): V1Taint {
  const [pair = "", effect = ""] = taint.split(":", 2);
  const [key = "", value] = pair.split("=", 2);
  return { key, effect, ...(value === undefined ? {} : { value }) };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiException && error.code === code;
}
