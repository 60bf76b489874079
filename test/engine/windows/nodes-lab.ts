import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import type { FakeMedia } from "../../rehearsed-machine/fake-media.ts";
import {
  type RehearsedMachine,
  startRehearsedMachine,
} from "../../rehearsed-machine/in-process.ts";
import { type EngineProject, type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";

/** The program's join token, which tests search for where it must not be. */
export const token = "abcdef.0123456789abcdef";

/** A program's settings of a machine and its node. */
export interface Variation {
  readonly instance?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Computer name that the machine must have. Default: its name. */
  readonly computerName?: string;
  readonly node?: boolean;
  readonly containerd?: { readonly version: string; readonly media: FakeMedia };
  /** The cluster's kubeconfig, if its API server is used. */
  readonly kubeconfig?: string;
  /** Folder on this host with a kubelet.exe to copy to the machine. */
  readonly kubelet?: string;
  readonly flannel?: boolean;
  /** Version of the machine on the disk, e.g. a new one for other memory. */
  readonly domain?: string;
  readonly cluster?: string;
  readonly tokenMinutes?: number;
  /** Gateway through which the node reaches pods and Services. */
  readonly nextHop?: string;
}

export type Variations = Readonly<Record<string, Variation>>;

/** A project with this project's sources, in which the cluster's actions only record that they ran. */
async function nodesProject(privateKey: string): Promise<EngineProject> {
  const project = await sourcesProject();
  // These actions need a cluster; here only whether and when they run matters.
  for (const action of ["await-node", "await-ready", "remove-node"]) {
    await project.write(
      `components/controlplane/actions/${action}.ts`,
      `import { appendFileSync } from "node:fs";
       appendFileSync("journal", "${action} " + process.env["NODE"] + "\\n");`,
    );
  }
  await project.write(
    "components/controlplane/actions/mint-bootstrap-token.ts",
    `import { appendFileSync } from "node:fs";
     const { TOKEN, KUBECONFIG_CONTENT } = process.env;
     appendFileSync("minted", TOKEN + " in " + KUBECONFIG_CONTENT + "\\n");
     console.log("${token}");`,
  );
  await project.write("key", privateKey);
  return project;
}

/** What the program is given: rehearsed machines, each with a Windows node in its own cluster. */
function nodesOf(
  hosts: Readonly<Record<string, RehearsedMachine>>,
  variations: Variations,
): readonly object[] {
  return Object.entries(variations).map(([name, variation]) => {
    const { address, port, hostKey, media } = hosts[name] ?? {};
    return { name, address, port, hostKey, media, ...variation };
  });
}

const nodesProgram = `
  import { readFileSync } from "node:fs";
  import * as pulumi from "@pulumi/pulumi";
  import { local } from "@pulumi/command";
  import { BootstrapToken } from "./components/controlplane/bootstrap-token.ts";
  import { WindowsNode } from "./components/windows/windows-node.ts";
  import { defaultSetup } from "./components/windows/node-setup.ts";
  import { imageSoftware } from "./components/windows/software.ts";

  const privateKey = readFileSync("key", "utf8");
  const podNetwork = { kind: "flannel", backend: "vxlan", nodeCidr: "192.168.150.0/24" };

  function softwareOf({ media, containerd = { version: "2.4.2", media }, kubelet, flannel }) {
    const versions = { kubernetes: "1.36.4", containerd: containerd.version };
    const software = imageSoftware(versions, { windowsBuild: "", media: containerd.media });
    if (kubelet) {
      const origin = { checksumUri: "https://example.com/", folder: kubelet };
      software.kubelet = { ...software.kubelet, origin };
    }
    for (const name of flannel ? ["flannel", "flannelPlugin", "cniPlugins"] : []) {
      const { fileName, sha256 } = media[name];
      software[name] = { uri: "https://example.com/" + fileName, sha256, origin: "image" };
    }
    return software;
  }

  function node(given) {
    const { name, address, port, hostKey, instance = "one", domain = "one", cluster = "one" } = given;
    const { kubeconfig = "secret of the cluster", tokenMinutes = 60, flannel, nextHop } = given;
    // Like a libvirt machine: its identity belongs to its disk, and outlives a replaced domain.
    const identity = new local.Command(
      name + "-identity",
      { create: "true", triggers: [instance] },
      { deleteBeforeReplace: true },
    );
    const machine = {
      name: given.computerName ?? name, os: "windows", address: "192.168.150.10",
      connection: pulumi.secret({
        host: address, port, user: "Administrator", privateKey, hostKey,
        dialErrorLimit: -1, perDialTimeout: 5,
      }),
      instanceId: identity.id,
      resource: new local.Command(
        name + "-machine",
        { create: "true", triggers: [identity.id, domain] },
        { deleteBeforeReplace: true },
      ),
      disk: identity,
    };
    const controlPlane = {
      kubeconfig: pulumi.secret(kubeconfig),
      endpoint: pulumi.output("kindows-test-control-plane:6443"),
      caCertHash: pulumi.output("sha256:" + "5".repeat(64)),
      hostsEntries: pulumi.output([{ address: "192.168.150.128", name: "kindows-test-control-plane" }]),
      resource: new local.Command(name + "-cluster", { create: "true", triggers: [cluster] }),
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/16",
    };
    if (given.node === false) return undefined;
    const { token } = new BootstrapToken(name + "-token", {
      controlPlane, machine, ttlMinutes: tokenMinutes,
    });
    return new WindowsNode(name, {
      machine, controlPlane, token,
      software: softwareOf(given),
      labels: given.labels ?? { zone: "a" },
      ...(flannel && { setup: { ...defaultSetup, podNetwork } }),
      ...(nextHop && {
        routes: ["10.244.0.0/16", "10.96.0.0/16"].map((range) => ({ range, nextHop })),
      }),
      taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
    });
  }

  export const facts = {};
  for (const given of JSON.parse(readFileSync("given.json", "utf8"))) {
    const made = node(given);
    facts[given.name] = made && {
      name: made.nodeName, build: made.windowsBuild,
      kubernetes: made.kubernetesVersion, containerd: made.containerdVersion,
    };
  }
`;

/** The real engine, plugins and component, against models of Windows with fake programs. */
export class NodesLab {
  private constructor(
    private readonly hosts: Readonly<Record<string, RehearsedMachine>>,
    readonly project: EngineProject,
  ) {}

  static async start(names: readonly string[]): Promise<NodesLab> {
    const key = makeKey();
    const hosts: Record<string, RehearsedMachine> = {};
    for (const hostName of names) {
      const machine = await startRehearsedMachine({ hostName, authorizedKeys: [key.publicKey] });
      machine.programs.ownAddresses = ["127.0.0.1", "192.168.150.10"];
      hosts[hostName] = machine;
    }
    return new NodesLab(hosts, await nodesProject(key.privateKey));
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await Promise.all(Object.values(this.hosts).map((machine) => machine.stop()));
  }

  host(name: string): RehearsedMachine {
    return this.hosts[name] ?? assert.fail(`there is no machine ${name}`);
  }

  file(name: string, file: string): string {
    return path.join(this.host(name).driveC, file);
  }

  hostsFile(name: string): Promise<string> {
    return readFile(this.file(name, "Windows/System32/drivers/etc/hosts"), "utf8");
  }

  /** What the cluster's actions have reported about a node so far, in order. */
  async journal(name: string): Promise<string[]> {
    const text = await readFile(path.join(this.project.folder, "journal"), "utf8");
    return text.split("\n").filter((line) => line.includes(`{"name":"${name}",`));
  }

  async up(variations: Variations): Promise<EngineRun> {
    return succeeded(await this.tryUp(variations));
  }

  async tryUp(variations: Variations, ...flags: string[]): Promise<EngineRun> {
    await this.project.program(nodesProgram, nodesOf(this.hosts, variations));
    return this.project.up(...flags);
  }
}

/** Names of a node's resources with one of these operations, in order, without the node itself. */
export function touched(run: EngineRun, node: string, ...operations: string[]): string[] {
  return Object.entries(run.steps)
    .filter(([name]) => name.startsWith(`${node}-`))
    .filter(([, done]) => done.some((each) => operations.includes(each)))
    .map(([name]) => name.slice(node.length + 1));
}

/** Operations on a node's resources, without `same`; resources without any are left out. */
export function planned(run: EngineRun, node: string): Readonly<Record<string, readonly string[]>> {
  const all = {
    creates: touched(run, node, "create"),
    updates: touched(run, node, "update"),
    replaces: touched(run, node, "replace", "create-replacement"),
    deletes: touched(run, node, "delete"),
  };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, names]) => names.length > 0)
      .map(([kind, names]) => [kind, names.sort()]),
  );
}
