import assert from "node:assert/strict";
import { KubeConfig } from "@kubernetes/client-node";
import { ApiServerCluster } from "../../../rehearsal/host/hollow/api-server-cluster.ts";
import { startRehearsalHost, type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import type { EngineProject, EngineRun } from "../plugins/support/engine.ts";
import { makeKey, SshServer, type SshKey } from "../plugins/support/ssh-server.ts";
import { sourcesProject } from "../plugins/support/sources-project.ts";
import { existingProgram, type Member } from "./existing-program.ts";

/** A node as the API server has it, as far as tests look at it. */
export interface LiveNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

/** A cluster and machines that are there before the stack and outlive it: a real API server, models of Windows. */
export class ExistingLab {
  private constructor(
    readonly api: ApiServer,
    readonly bastions: readonly SshServer[],
    readonly hosts: readonly [RehearsalHost, RehearsalHost],
    readonly project: EngineProject,
    private readonly bastionKeys: readonly SshKey[],
  ) {}

  /** @param bastionCount of bastions, one behind the other, by which the second machine is reached. */
  static async start(bastionCount = 1): Promise<ExistingLab> {
    const api = await ApiServer.start();
    await makeClusterOfKubeadm(api);
    const login = makeKey();
    const bastionKeys = Array.from({ length: bastionCount }, () => makeKey());
    const bastions = await Promise.all(
      bastionKeys.map((hostKey) => SshServer.start({ hostKey, authorizedKeys: [login.publicKey] })),
    );
    const config = new KubeConfig();
    config.loadFromString(api.kubeconfig);
    const host = (hostName: string, patience?: number): Promise<RehearsalHost> =>
      startRehearsalHost({
        hostName,
        authorizedKeys: [login.publicKey],
        cluster: new ApiServerCluster(config),
        ...(patience !== undefined && { patience }),
      });
    // Behind a bastion an answer needs longer than a reboot with no delay to speak of waits.
    const hosts = [await host("win-1"), await host("win-2", 0.2)] as const;
    const project = await sourcesProject();
    await project.write("key", login.privateKey);
    await project.write("kubeconfig", api.kubeconfig);
    return new ExistingLab(api, bastions, hosts, project, bastionKeys);
  }

  /** The first is reached directly, the second by the bastions. */
  member(index: 0 | 1, more: Partial<Member> = {}): Member {
    const { port, hostKey } = this.hosts[index];
    const [name, address] = [`win-${index + 1}`, `192.168.150.1${index}`];
    return {
      ...{ name, address, port, hostKey, labels: {} },
      ...(index === 1 && {
        bastions: this.bastions.map(({ port }, hop) => ({
          port,
          hostKey: this.bastionKeys[hop]?.publicKey ?? "",
        })),
      }),
      ...more,
    };
  }

  /** @param windows settings that all machines have in common. */
  async run(members: readonly Member[], windows: object = {}): Promise<EngineRun> {
    await this.project.program(
      existingProgram(members, endpointOf(this.api), this.hosts[0].media, windows),
    );
    return this.project.up();
  }

  /** An `up` that must succeed. */
  async up(members: readonly Member[], windows: object = {}): Promise<EngineRun> {
    const run = await this.run(members, windows);
    assert.equal(run.exitCode, 0, run.text);
    return run;
  }

  async nodes(): Promise<readonly LiveNode[]> {
    const list = await this.api.get<{ items: LiveNode[] }>("/api/v1/nodes");
    return list?.items ?? [];
  }

  async nodeNames(): Promise<string[]> {
    return (await this.nodes()).map(({ metadata }) => metadata.name).sort();
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await Promise.all(this.bastions.map((bastion) => bastion.stop()));
    await Promise.all(this.hosts.map((host) => host.stop()));
    await this.api.stop();
  }
}

/** `HOST:PORT` of an API server. */
export function endpointOf({ kubeconfig }: ApiServer): string {
  const { clusters } = JSON.parse(kubeconfig) as { clusters: [{ cluster: { server: string } }] };
  return new URL(clusters[0].cluster.server).host;
}

/** What kubeadm leaves in a cluster, as far as it is looked at; and somebody's own kube-proxy for Windows. */
export async function makeClusterOfKubeadm(api: ApiServer): Promise<void> {
  const { clusters } = JSON.parse(api.kubeconfig) as { clusters: object[] };
  const configMap = (namespace: string, name: string, data: object): Promise<unknown> =>
    api.request("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data,
    });
  await configMap("kube-system", "kubeadm-config", {
    ClusterConfiguration: "networking: { podSubnet: 10.244.0.0/16, serviceSubnet: 10.0.0.0/24 }\n",
  });
  await configMap("kube-public", "cluster-info", { kubeconfig: JSON.stringify({ clusters }) });
  const labels = { app: "their-kube-proxy" };
  await api.request("POST", "/apis/apps/v1/namespaces/kube-system/daemonsets", {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "their-kube-proxy" },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { "kubernetes.io/os": "windows" },
          containers: [{ name: "kube-proxy", image: "example.test/kube-proxy:1" }],
        },
      },
    },
  });
}
