import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import path from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { parse } from "yaml";
import { ownAddress, ownPort } from "../../own-address.ts";
import { ApiServerCluster } from "../../rehearsed-machine/api-server-cluster.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../rehearsed-machine/in-process.ts";
import {
  endpointOf,
  existingProgram,
  makeClusterOfKubeadm,
  SshGate,
} from "../existing/existing-lab.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import { type EngineProject, type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources.ts";
import { makeKey, SshServer } from "../plugins/support/ssh-server.ts";
import { KubeVirtStack } from "../../../components/machine/kubevirt/stack-machines.ts";
import { settingsWith } from "../../unit/machine/kubevirt/kubevirt-lab.ts";
import { documentedAccount } from "./documented-account.ts";
import { type Guest, type GuestStart, KubeVirtStandIn } from "./stand-in.ts";

const guestAddresses: Readonly<Record<string, string>> = {
  "win-1": ownAddress(0),
  "win-2": ownAddress(1),
  "win-3": ownAddress(2),
};

/** In-process Windows for each instance, at an address of its own on the loopback, all on one port. */
class Guests {
  readonly hosts = new Map<string, RehearsedMachine>();
  /** Is told of each connection that is made to one. */
  onDial: () => void = () => undefined;

  constructor(
    private readonly kubeconfig: string,
    readonly port: number,
  ) {}

  address(node: string): string {
    return guestAddresses[node] ?? assert.fail(`${node} has no address`);
  }

  async start({ node, userData, isNew }: GuestStart): Promise<Guest> {
    const { ssh_keys, ssh_authorized_keys } = parse(userData) as {
      ssh_keys: { ed25519_private: string };
      ssh_authorized_keys: string[];
    };
    if (isNew) {
      await this.hosts.get(node)?.stop();
      const config = new KubeConfig();
      config.loadFromString(this.kubeconfig);
      const machine = await startRehearsedMachine({
        hostName: node,
        authorizedKeys: ssh_authorized_keys,
        hostPrivateKey: ssh_keys.ed25519_private,
        cluster: new ApiServerCluster(config),
      });
      machine.programs.ownAddresses = ["127.0.0.1", this.address(node)];
      this.hosts.set(node, machine);
    }
    const address = this.address(node);
    const options = { port: this.port, host: address, onDial: () => this.onDial() };
    const gate = await SshGate.start(
      () => this.hosts.get(node) ?? assert.fail(`${node} is off`),
      options,
    );
    return { address, stop: () => gate.stop() };
  }

  async stop(): Promise<void> {
    for (const machine of this.hosts.values()) await machine.stop();
  }
}

describe("machines on KubeVirt's stand-in in the engine", () => {
  let api: ApiServer;
  let guests: Guests;
  let standIn: KubeVirtStandIn;
  let project: EngineProject;
  let media: RehearsedMachine["media"];

  const program = async (
    nodes: readonly string[],
    machine: object = {},
    login: object = {},
  ): Promise<void> => {
    const settings = {
      cluster: {
        kubeconfig: { file: path.join(project.folder, "kubeconfig") },
        endpoint: endpointOf(api),
      },
      cni: { kind: "none" },
      login: { port: guests.port, ...login },
      machine: {
        kind: "kubevirt",
        namespace: "windows",
        storageClass: "fast",
        startMinutes: 10,
        kubeconfig: { file: path.join(project.folder, "kubeconfig-of-role") },
        image: { kind: "http", url: "https://images.example.com/windows.qcow2" },
        network: { multus: "windows/lan" },
        nodes: nodes.map((name) => ({ name })),
        ...machine,
      },
    };
    await project.program(existingProgram, { settings, media });
  };

  const nodeNames = async (): Promise<string[]> => {
    const list = await api.get<{ items: { metadata: { name: string } }[] }>("/api/v1/nodes");
    return (list?.items ?? []).map(({ metadata }) => metadata.name).sort();
  };
  const names = async (kind: "machines" | "instances" | "volumes"): Promise<string[]> =>
    (await standIn.list(kind)).map(({ metadata }) => metadata.name).sort();

  /** What was not left as it was. */
  const changes = (run: EngineRun): object => {
    const steps = Object.entries(succeeded(run).steps);
    return Object.fromEntries(steps.filter(([, done]) => done.some((op) => op !== "same")));
  };

  /** What fails with a fault, and says so in the cluster's words. */
  const failed = (run: EngineRun, text: RegExp): void => {
    assert.notEqual(run.exitCode, 0, run.text);
    assert.match(run.text, text);
    assert.ok(!run.text.includes("PRIVATE KEY"));
  };

  before(async () => {
    api = await ApiServer.start();
    await makeClusterOfKubeadm(api);
    guests = new Guests(api.kubeconfig, await ownPort());
    standIn = await KubeVirtStandIn.begin(api.kubeconfig, (guest) => guests.start(guest));
    const any = await startRehearsedMachine({ hostName: "any", authorizedKeys: [] });
    ({ media } = any);
    await any.stop();
    project = await sourcesProject();
    await project.write("kubeconfig", api.kubeconfig);
    await project.write("kubeconfig-of-role", await documentedAccount(api));
  });
  after(async () => {
    await project.dispose();
    await standIn.end();
    await guests.stop();
    await api.stop();
  });

  /** Does something to a machine while steps run on those that are made. */
  const during = (work: () => Promise<void>): (() => Promise<void>) => {
    let dials = 0;
    let done: Promise<void> | undefined;
    guests.onDial = () => {
      dials += 1;
      if (dials === 5) done = work();
    };
    return () => done ?? assert.fail("nothing was dialled");
  };

  it("makes nodes of them, also of one that is moved meanwhile as its host is drained", async () => {
    await program(["win-1", "win-2"]);
    let before: Awaited<ReturnType<typeof standIn.list>>[number] | undefined;
    const evicted = during(async () => {
      const instances = await standIn.list("instances");
      before = instances.find(({ status }) => status?.phase === "Running") ?? assert.fail();
      await standIn.evict(before.metadata.name);
    });
    const run = succeeded(await project.up());
    await evicted();
    const after = await standIn.list("instances");
    const moved = after.find(({ metadata }) => metadata.uid === before?.metadata.uid);
    assert.deepEqual([before?.status?.nodeName, moved?.status?.nodeName], ["rack-3", "rack-4"]);
    assert.ok(!run.text.includes("PRIVATE KEY"));
    assert.deepEqual(await nodeNames(), ["win-1", "win-2"]);
    assert.deepEqual(await names("machines"), ["kindows-dev-win-1", "kindows-dev-win-2"]);
    const { nodes } = (await project.outputs()) as { nodes: { address: string }[] };
    assert.deepEqual(
      nodes.map(({ address }) => address),
      [ownAddress(0), ownAddress(1)],
    );
  });

  it("has nothing to do afterwards, in a preview and in an up", async () => {
    assert.deepEqual(changes(await project.preview()), {});
    assert.deepEqual(changes(await project.up()), {});
  });

  it("waits for one that was killed, and finds it the same machine", async () => {
    const boots = guests.hosts.get("win-1")?.boots;
    await standIn.kill("kindows-dev-win-1");
    assert.deepEqual(changes(await project.up()), {});
    assert.equal(guests.hosts.get("win-1")?.boots, boots);
    assert.deepEqual(await names("instances"), ["kindows-dev-win-1", "kindows-dev-win-2"]);
  });

  it("finishes what an instance that was killed under `up` has left, at the next one at the latest", async () => {
    await program(["win-1", "win-2", "win-3"]);
    const killed = during(() => standIn.kill("kindows-dev-win-3"));
    await project.up();
    await killed();
    const machines = await standIn.list("machines");
    succeeded(await project.up());
    assert.deepEqual(await nodeNames(), ["win-1", "win-2", "win-3"]);
    const uids = (all: typeof machines): string[] => all.map(({ metadata }) => metadata.uid).sort();
    assert.deepEqual(uids(await standIn.list("machines")), uids(machines));
  });

  it("takes one out, and leaves the other alone", async () => {
    await program(["win-2"]);
    const changed = Object.keys(changes(await project.up()));
    assert.ok(!changed.includes("win-2"), changed.join());
    assert.deepEqual(await nodeNames(), ["win-2"]);
    assert.deepEqual(await names("machines"), ["kindows-dev-win-2"]);
  });

  it("replaces a machine whose image is another one; by bastions, it is a node again", async () => {
    const image = { kind: "http", url: "https://images.example.com/other.qcow2" };
    const key = makeKey();
    const privateKeyFile = path.join(project.folder, "key");
    await project.write("key", key.privateKey);
    const bastion = async () => {
      const hostKey = makeKey();
      const server = await SshServer.start({ hostKey, authorizedKeys: [key.publicKey] });
      const { port } = server;
      const hop = { address: "localhost", port, user: "jump", hostKey: hostKey.publicKey };
      return { server, hop };
    };
    const bastions = [await bastion(), await bastion()];
    const login = { privateKeyFile, bastions: bastions.map(({ hop }) => hop) };
    await program(["win-2"], { image }, login);
    const run = succeeded(await project.up());
    assert.ok(run.steps["win-2"]?.includes("delete-replaced"), JSON.stringify(run.steps));
    assert.deepEqual(await nodeNames(), ["win-2"]);
    assert.equal((await names("volumes")).filter((name) => name.includes("image")).length, 1);
    // To the one before the last there is one for all.
    const [first = 0, last = 0] = bastions.map(({ server }) => server.accepted);
    assert.ok(first > 0 && first < last && last > 5, `${first} and ${last} connections`);
    for (const { server } of bastions) await server.stop();
  });

  it("leaves nothing in the cluster, but for what is somebody else's", async () => {
    const theirs = {
      apiVersion: "cdi.kubevirt.io/v1beta1",
      kind: "DataVolume",
      metadata: { name: "theirs" },
      spec: { source: { upload: {} } },
    };
    await standIn.api.post("/apis/cdi.kubevirt.io/v1beta1/namespaces/windows/datavolumes", theirs);
    const made = settingsWith({ nodes: [{ name: "win-2" }] }).machine ?? assert.fail();
    const seen = new KubeVirtStack(made, { text: api.kubeconfig }, "dev");
    const known = (await seen.leftOver([])).map(({ kind }) => kind);
    assert.deepEqual(known, ["VirtualMachine", "DataVolume", "Secret"]);
    succeeded(await project.destroy());
    assert.deepEqual(await seen.leftOver([]), []);
    assert.deepEqual(await nodeNames(), []);
    assert.deepEqual(await names("machines"), []);
    for (let left = 50; left > 0 && (await names("volumes")).length > 1; left--) await sleep(100);
    assert.deepEqual(await names("volumes"), ["theirs"]);
    const states = (await seen.seen()).map(({ node, state }) => `${node} is ${state}`);
    assert.deepEqual(states, ["win-2 is not there"]);
    const secrets = await api.get<{ items: unknown[] }>("/api/v1/namespaces/windows/secrets");
    assert.deepEqual(secrets?.items, []);
  });

  it("refuses a cluster without what it needs before anything is made", async () => {
    await program(["win-1"], {
      kubeconfig: undefined,
      storageClass: "ssd",
      network: { multus: "windows/wan" },
    });
    failed(
      await project.up(),
      /2 things are in the way in the cluster; nothing was changed:\s+- The NetworkAttachmentDefinition windows\/wan[^]*- The storage class ssd/,
    );
    assert.deepEqual(await names("machines"), []);
  });

  it("names the rights that a role is too narrow for, before anything is made", async () => {
    await program(["win-1"]);
    const role = "/apis/rbac.authorization.k8s.io/v1/namespaces/windows/roles/kindows";
    await api.patch(role, {
      rules: [{ apiGroups: ["kubevirt.io"], resources: ["*"], verbs: ["get", "list", "watch"] }],
    });
    failed(
      await project.up(),
      /may not: create virtualmachines\.kubevirt\.io -n windows \(to make machines\), patch virtual[^]*Have an administrator allow that/,
    );
    assert.deepEqual(await names("machines"), []);
  });
});
