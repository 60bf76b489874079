import { execa } from "execa";
import { messageOf } from "../../host/failure.ts";
import { builtTool } from "../../toolchain/built.ts";
import { waitUntil } from "../../host/wait-until.ts";

interface KubeObject {
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

/** Longest run of kubectl: an emulated node on a busy machine takes minutes to start a pod. */
const kubectlSeconds = 300;

/** A cluster, reached by its kubeconfig. */
export class Cluster {
  constructor(readonly kubeconfig: string) {}

  async nodes(): Promise<KubeObject[]> {
    const { items } = (await this.kubectlJson("get", "nodes")) as { items: KubeObject[] };
    return items;
  }

  async node(name: string): Promise<KubeObject | undefined> {
    return (await this.nodes()).find(({ metadata }) => metadata.name === name);
  }

  async readyNodes(): Promise<string[]> {
    return (await this.nodes())
      .filter(isReady)
      .map((node) => node.metadata.name)
      .sort();
  }

  /** Waits until exactly these nodes exist and are Ready, even if the API server is still starting. */
  async untilReady(names: readonly string[]): Promise<void> {
    const what = `${names.join(" and ")} to be Ready, and no other nodes`;
    await waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 2000 }, async () => {
      try {
        const found = await this.nodes();
        const seen = found.map(
          (node) => `${node.metadata.name}${isReady(node) ? "" : " not Ready"}`,
        );
        return seen.sort().join() === [...names].sort().join() ? undefined : seen.join();
      } catch (error) {
        return messageOf(error).split("\n").at(-1);
      }
    });
  }

  /** Waits until a node is not Ready, which the control plane notices only some time after its kubelet has stopped. */
  async untilNotReady(name: string): Promise<void> {
    const what = `${name} to be not Ready`;
    await waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 2000 }, async () => {
      const node = await this.node(name);
      return node !== undefined && isReady(node) ? "Ready" : undefined;
    });
  }

  /** When each node's lease was last renewed. A node that has just joined has no lease yet. */
  async leaseRenewals(): Promise<ReadonlyMap<string, string>> {
    const { items } = (await this.kubectlJson("-n", "kube-node-lease", "get", "leases")) as {
      items: { metadata: { name: string }; spec: { renewTime: string } }[];
    };
    return new Map(items.map(({ metadata, spec }) => [metadata.name, spec.renewTime]));
  }

  async leaseRenewal(node: string): Promise<string | undefined> {
    return (await this.leaseRenewals()).get(node);
  }

  /** Waits until a node's lease is renewed again. @param before when it was last renewed */
  async untilRenewed(node: string, before: string | undefined): Promise<void> {
    const what = `${node} to renew its lease`;
    await waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 2000 }, async () => {
      const now = await this.leaseRenewal(node);
      return now === before ? `last renewed at ${now ?? "no time"}` : undefined;
    });
  }

  /** Waits until resources have a condition. @param resources and their namespace, as arguments of kubectl */
  async untilCondition(condition: string, ...resources: readonly string[]): Promise<void> {
    const limit = `--timeout=${kubectlSeconds - 20}s`;
    await this.kubectl("wait", `--for=condition=${condition}`, limit, ...resources);
  }

  async kubectl(...args: string[]): Promise<string> {
    return this.#kubectl(args);
  }

  async kubectlApply(manifest: string): Promise<void> {
    await this.#kubectl(["apply", "-f", "-"], manifest);
  }

  async kubectlJson(...args: string[]): Promise<unknown> {
    return JSON.parse(await this.kubectl(...args, "-o", "json"));
  }

  async #kubectl(args: readonly string[], input = ""): Promise<string> {
    const all = ["--kubeconfig", this.kubeconfig, ...args];
    return (await execa(builtTool("kubectl"), all, { input, timeout: kubectlSeconds * 1000 }))
      .stdout;
  }
}

export function isReady(node: KubeObject): boolean {
  const conditions = (node.status?.["conditions"] ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
