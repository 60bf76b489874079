import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { ApiServerCluster } from "../../rehearsed-machine/api-server-cluster.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../rehearsed-machine/in-process.ts";
import { started, stopped } from "../../left-running.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources.ts";
import { makeKey, SshServer } from "../plugins/support/ssh-server.ts";

/** A machine of the program's settings. */
interface Member {
  readonly name: string;
  readonly address: string;
  readonly hostKey: string;
  /** Port of its SSH server on this host. */
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
  /** SSH servers on this host through which the machine is reached, in order. */
  readonly bastions?: readonly { readonly port: number; readonly hostKey: string }[];
}

/**
 * The stack's own composition with a real API server and programs that the machines already have. Machines and
 * bastions are on this host; only the cluster uses their addresses.
 */
export const existingProgram = `
  import { readFileSync } from "node:fs";
  import { examineCluster } from "./components/controlplane/existing/examine-cluster.ts";
  import { defaultRequirements } from "./components/windows/host-requirements.ts";
  import { imageSoftware } from "./components/windows/software.ts";
  import { resolveExisting } from "./config/existing.ts";
  import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
  import { openForwards } from "./stacks/machine-logins.ts";
  import { byBastions, ExistingCluster, machineAccess } from "./stacks/existing-cluster.ts";
  import { withComponents } from "./stacks/existing-cluster-args.ts";

  const given = JSON.parse(readFileSync("given.json", "utf8"));
  const settings = resolveExisting(given.settings, { file: "Pulumi.test.yaml" });
  const { cni, login, machine, nodes: machines } = settings;
  const cluster = await examineCluster(settings.cluster.kubeconfig, { ...settings.cluster, cni, nodes: machines });
  const keysOf = ({ user, port, privateKeyFile }) => ({
    ...{ user, port, privateKey: readFileSync(privateKeyFile, "utf8") },
  });
  const here = (server) => ({ ...server, host: "127.0.0.1" });
  const access = (node) => {
    const { machine, hops, forwardPort } = machineAccess(node, keysOf);
    return { machine: here(machine), hops: hops.map(here), forwardPort };
  };
  const bastions = byBastions(login, keysOf);
  if (!isDryRun()) {
    await openForwards([
      ...machines.map((node) => [node.name, access(node)]),
      ...(machine?.nodes ?? []).map(({ name }) => [name, bastions]),
    ]);
  }
  const software = imageSoftware(
    { kubernetes: "1.36.4", containerd: "2.4.2" },
    { windowsBuild: "", media: given.media },
  );
  const programs = { software, requirements: defaultRequirements };
  const surroundings = { cluster, access, bastions };
  const stack = new ExistingCluster("cluster", await withComponents(settings, surroundings, programs));
  export const nodes = stack.nodes;
`;

interface Place {
  readonly address: string;
  readonly port: number;
}

/**
 * A port in front of an SSH server that counts connections. A connection that the server refuses is closed and not
 * counted, because the number of attempts during a reboot depends on timing.
 */
export class SshGate {
  /** Number of connections to the server so far. */
  made = 0;
  /** Largest number of connections that were open at the same time. */
  most = 0;
  #open = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: () => Place, onDial: () => void) {
    this.#server = createServer({ noDelay: true }, (client) => {
      onDial();
      this.#pass(client, server());
    });
  }

  /** @param server where the server is now. */
  static async start(
    server: () => Place,
    options: { readonly port?: number; readonly host?: string; readonly onDial?: () => void } = {},
  ): Promise<SshGate> {
    const { port = 0, host = "127.0.0.1", onDial = () => undefined } = options;
    const gate = new SshGate(server, onDial);
    await new Promise<void>((resolve) => gate.#server.listen(port, host, resolve));
    started("an SSH gate", gate);
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket, { address, port }: Place): void {
    const server = connect({ host: address, port, noDelay: true });
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    server.once("connect", () => {
      this.made += 1;
      this.#open += 1;
      this.most = Math.max(this.most, this.#open);
      client.pipe(server).pipe(client);
      // A connection ends when the client ends it, however long the server takes to notice.
      let over = false;
      const end = (): void => {
        if (!over) this.#open -= 1;
        over = true;
      };
      client.once("end", end).once("close", end);
    });
  }
}

/** The parts of a Node object that tests use. */
interface LiveNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

interface Bastion {
  readonly hostKey: string;
  readonly server: SshServer;
}

interface LabMachine {
  readonly address: string;
  readonly machine: RehearsedMachine;
  /** The port that clients connect to. */
  readonly gate: SshGate;
  /** Bastions through which it is reached, in order. */
  readonly bastions: readonly Bastion[];
}

export type MachineName = "win-1" | "win-2" | "win-3";

/** A cluster and machines that exist before and after the stack: a real API server, models of Windows. */
export class ExistingLab {
  readonly #counted = new Map<string, readonly number[]>();

  private constructor(
    readonly api: ApiServer,
    readonly machines: Readonly<Record<MachineName, LabMachine>>,
    readonly project: EngineProject,
  ) {}

  static async start(): Promise<ExistingLab> {
    const api = await ApiServer.start();
    await makeClusterOfKubeadm(api);
    const login = makeKey();
    const authorizedKeys = [login.publicKey];
    const config = new KubeConfig();
    config.loadFromString(api.kubeconfig);
    const bastion = async (): Promise<Bastion> => {
      const hostKey = makeKey();
      const server = await SshServer.start({ hostKey, authorizedKeys });
      return { hostKey: hostKey.publicKey, server };
    };
    const machine = async (number: number, bastions: readonly Bastion[]): Promise<LabMachine> => {
      const cluster = new ApiServerCluster(config);
      const address = `192.168.150.1${number}`;
      const how = { authorizedKeys, cluster };
      const rehearsed = await startRehearsedMachine({ hostName: `win-${number}`, ...how });
      rehearsed.programs.ownAddresses = ["127.0.0.1", address];
      return { address, machine: rehearsed, gate: await SshGate.start(() => rehearsed), bastions };
    };
    const machines = {
      "win-1": await machine(1, []),
      "win-2": await machine(2, [await bastion()]),
      "win-3": await machine(3, [await bastion(), await bastion()]),
    };
    const project = await sourcesProject();
    await project.write("key", login.privateKey);
    await project.write("kubeconfig", api.kubeconfig);
    return new ExistingLab(api, machines, project);
  }

  /** A machine's settings. */
  member(name: MachineName, more: Partial<Member> = {}): Member {
    const { address, machine, gate, bastions } = this.machines[name];
    const hops = bastions.map(({ server, hostKey }) => ({ port: server.port, hostKey }));
    const login = { port: gate.port, hostKey: machine.hostKey, bastions: hops };
    return { name, address, labels: {}, ...login, ...more };
  }

  /** Connections since the last call: to each machine, after those to the bastions on the way to it. */
  connections(): Readonly<Record<MachineName, readonly number[]>> {
    const since = (name: MachineName): readonly number[] => {
      const { gate, bastions } = this.machines[name];
      const counts = [...bastions.map(({ server }) => server.accepted), gate.made];
      const before = this.#counted.get(name);
      this.#counted.set(name, counts);
      return counts.map((count, index) => count - (before?.[index] ?? 0));
    };
    return { "win-1": since("win-1"), "win-2": since("win-2"), "win-3": since("win-3") };
  }

  /** @param windows settings that all machines share. */
  async program(members: readonly Member[], windows: object): Promise<void> {
    const { media } = this.machines["win-1"].machine;
    const { folder } = this.project;
    const kubeconfig = { file: path.join(folder, "kubeconfig") };
    const settings = {
      cluster: { kubeconfig, endpoint: endpointOf(this.api) },
      cni: { kind: "none" },
      login: { privateKeyFile: path.join(folder, "key") },
      windows,
      nodes: members.map(({ bastions = [], ...node }) => ({
        ...node,
        bastions: bastions.map((one) => ({ ...one, address: "localhost", user: "jump" })),
      })),
    };
    await this.project.program(existingProgram, { settings, media });
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
    for (const { machine, gate, bastions } of Object.values(this.machines)) {
      await Promise.all(bastions.map(({ server }) => server.stop()));
      await gate.stop();
      await machine.stop();
    }
    await this.api.stop();
  }
}

/** `HOST:PORT` of an API server. */
export function endpointOf({ kubeconfig }: ApiServer): string {
  const { clusters } = JSON.parse(kubeconfig) as { clusters: [{ cluster: { server: string } }] };
  return new URL(clusters[0].cluster.server).host;
}

/** The objects of kubeadm that the program reads, and a user's own kube-proxy for Windows. */
export async function makeClusterOfKubeadm(api: ApiServer): Promise<void> {
  const { clusters } = JSON.parse(api.kubeconfig) as { clusters: object[] };
  await api.request("POST", "/api/v1/namespaces/kube-system/configmaps", {
    metadata: { name: "kubeadm-config" },
    data: {
      ClusterConfiguration: "networking: { podSubnet: 10.244.0.0/16, serviceSubnet: 10.0.0.0/24 }",
    },
  });
  await api.request("POST", "/api/v1/namespaces/kube-public/configmaps", {
    metadata: { name: "cluster-info" },
    data: { kubeconfig: JSON.stringify({ clusters }) },
  });
  // Everybody may read it, as kubeadm init's phase bootstrap-token arranges.
  const role = { name: "kubeadm:bootstrap-signer-clusterinfo" };
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public";
  const only = { apiGroups: [""], resources: ["configmaps"], resourceNames: ["cluster-info"] };
  await api.request("POST", `${rbac}/roles`, {
    metadata: role,
    rules: [{ ...only, verbs: ["get"] }],
  });
  const group = "rbac.authorization.k8s.io";
  await api.request("POST", `${rbac}/rolebindings`, {
    metadata: role,
    roleRef: { apiGroup: group, kind: "Role", ...role },
    subjects: [{ apiGroup: group, kind: "User", name: "system:anonymous" }],
  });
  const labels = { app: "their-kube-proxy" };
  const containers = [{ name: "kube-proxy", image: "example.test/kube-proxy:1" }];
  const spec = { nodeSelector: { "kubernetes.io/os": "windows" }, containers };
  await api.request("POST", "/apis/apps/v1/namespaces/kube-system/daemonsets", {
    metadata: { name: "their-kube-proxy" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}
