import { KubeConfig } from "@kubernetes/client-node";
import { ApiServerCluster } from "../../../rehearsal/host/hollow/api-server-cluster.ts";
import { startRehearsalHost, type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { makeKey, SshServer } from "../plugins/support/ssh-server.ts";
import { sourcesProject } from "../plugins/support/sources-project.ts";
import { existingProgram, type Member } from "./existing-program.ts";
import { SshGate } from "./ssh-gate.ts";

/** A node as the API server has it, as far as tests look at it. */
export interface LiveNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

interface Bastion {
  readonly hostKey: string;
  readonly server: SshServer;
}

/** Bastions by which the machines are reached, in their order. */
const ways = { "win-1": [], "win-2": ["a"], "win-3": ["b", "c"] } as const;

export type MachineName = keyof typeof ways;
type BastionName = (typeof ways)[MachineName][number];

const names = Object.keys(ways) as MachineName[];
const bastionNames = Object.values(ways).flat();

/** A cluster and machines that are there before the stack and outlive it: a real API server, models of Windows. */
export class ExistingLab {
  #counted: ReadonlyMap<string, number> = new Map();

  private constructor(
    readonly api: ApiServer,
    readonly bastions: Readonly<Record<BastionName, Bastion>>,
    readonly hosts: Readonly<Record<MachineName, RehearsalHost>>,
    readonly gates: Readonly<Record<MachineName, SshGate>>,
    readonly project: EngineProject,
  ) {}

  static async start(): Promise<ExistingLab> {
    const api = await ApiServer.start();
    await makeClusterOfKubeadm(api);
    const login = makeKey();
    const authorizedKeys = [login.publicKey];
    const config = new KubeConfig();
    config.loadFromString(api.kubeconfig);
    const bastions = await each(bastionNames, async () => {
      const hostKey = makeKey();
      return {
        hostKey: hostKey.publicKey,
        server: await SshServer.start({ hostKey, authorizedKeys }),
      };
    });
    const hosts = await each(names, async (hostName) => {
      const cluster = new ApiServerCluster(config);
      // An answer by two bastions is there before the reboot is, on a busy host, too.
      const host = await startRehearsalHost({ hostName, authorizedKeys, cluster, patience: 0.2 });
      host.programs.ownAddresses = ["127.0.0.1", addressOf(hostName)];
      return host;
    });
    const gates = await each(names, (name) => SshGate.start(hosts[name].port));
    const project = await sourcesProject();
    await project.write("key", login.privateKey);
    await project.write("kubeconfig", api.kubeconfig);
    return new ExistingLab(api, bastions, hosts, gates, project);
  }

  /** A machine as the settings have it. */
  member(name: MachineName, more: Partial<Member> = {}): Member {
    const { hostKey } = this.hosts[name];
    const { port } = this.gates[name];
    const bastions = ways[name].map((bastion) => {
      const { server, hostKey } = this.bastions[bastion];
      return { port: server.port, hostKey };
    });
    return { name, address: addressOf(name), port, hostKey, labels: {}, bastions, ...more };
  }

  /** Connections to each machine and bastion since this was asked the last time. */
  connections(): Readonly<Record<MachineName | BastionName, number>> {
    const made = [
      ...names.map((name) => [name, this.gates[name].made] as const),
      ...bastionNames.map((name) => [name, this.bastions[name].server.accepted] as const),
    ];
    const since = made.map(
      ([name, count]) => [name, count - (this.#counted.get(name) ?? 0)] as const,
    );
    this.#counted = new Map(made);
    return Object.fromEntries(since) as Record<MachineName | BastionName, number>;
  }
  /** @param windows settings that all machines have in common. */
  async program(members: readonly Member[], windows: object): Promise<void> {
    const { media } = this.hosts["win-1"];
    await this.project.program(existingProgram(members, endpointOf(this.api), media, windows));
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
    const servers = Object.values(this.bastions).map(({ server }) => server);
    for (const part of [...Object.values(this.gates), ...servers, ...Object.values(this.hosts)]) {
      await part.stop();
    }
    await this.api.stop();
  }
}

function addressOf(name: MachineName): string {
  return `192.168.150.1${names.indexOf(name)}`;
}

async function each<Name extends string, Made>(
  all: readonly Name[],
  make: (name: Name) => Promise<Made>,
): Promise<Readonly<Record<Name, Made>>> {
  const made: [Name, Made][] = [];
  for (const name of all) made.push([name, await make(name)]);
  return Object.fromEntries(made) as Record<Name, Made>;
}

/** `HOST:PORT` of an API server. */
function endpointOf({ kubeconfig }: ApiServer): string {
  const { clusters } = JSON.parse(kubeconfig) as { clusters: [{ cluster: { server: string } }] };
  return new URL(clusters[0].cluster.server).host;
}

/** What kubeadm leaves in a cluster, as far as it is looked at; and somebody's own kube-proxy for Windows. */
async function makeClusterOfKubeadm(api: ApiServer): Promise<void> {
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
