import type { HollowMedia } from "../../../rehearsal/host/hollow/hollow-media.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources-project.ts";

/** The join token of the program: to be looked for where it must not be. */
export const token = "abcdef.0123456789abcdef";
const caCertHash = `sha256:${"5".repeat(64)}`;

/** What a program may vary. */
export interface Variation {
  readonly instance?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether there is a node on the machine. */
  readonly node?: boolean;
  /** Another containerd than the first. */
  readonly containerd?: { readonly version: string; readonly media: HollowMedia };
  /** The cluster's, where its API server is asked. */
  readonly kubeconfig?: string;
  /** Folder of kubelet.exe on this host, to be pushed to the machine; `missing` where it is not fetched. */
  readonly kubelet?: string;
  /** Flannel's backend, where that is the pods' network. */
  readonly flannel?: "vxlan" | "host-gw";
  /** Which machine stands on the disk: another one for other memory. */
  readonly domain?: string;
  /** Which cluster. */
  readonly cluster?: string;
  /** Life of the join token. */
  readonly tokenMinutes?: number;
  /** Neighbour by way of which the node reaches pods and Services. */
  readonly nextHop?: string;
}

/** A project with this project's sources, in which the cluster's own actions only write down that they ran. */
export async function nodeProject(privateKey: string): Promise<EngineProject> {
  const project = await sourcesProject();
  // The cluster's own actions need one; here it counts that they run, and when.
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

/** A program with one Windows node on a machine of the rehearsal. */
export function nodeProgram(
  host: RehearsalHost,
  {
    instance = "one",
    labels = { zone: "a" },
    node = true,
    containerd = { version: "2.4.2", media: host.media },
    kubeconfig: access = "secret of the cluster",
    kubelet,
    flannel,
    domain = "one",
    cluster = "one",
    tokenMinutes = 60,
    nextHop,
  }: Variation,
): string {
  return `
  import { readFileSync } from "node:fs";
  import * as pulumi from "@pulumi/pulumi";
  import { local } from "@pulumi/command";
  import { BootstrapToken } from "./components/controlplane/bootstrap-token.ts";
  import { WindowsNode } from "./components/windows/windows-node.ts";
  import { defaultSetup } from "./components/windows/node-setup.ts";
  import { imageSoftware } from "./components/windows/software.ts";

  const machine = {
    name: "win-1", os: "windows", address: "192.168.150.10",
    connection: pulumi.secret({
      host: "127.0.0.1", port: ${String(host.port)}, user: "Administrator",
      privateKey: readFileSync("key", "utf8"), hostKey: "${host.hostKey}",
      dialErrorLimit: -1, perDialTimeout: 5,
    }),
  };
  // As a machine of libvirt: its identity is that of its disk, and outlives another domain.
  const identity = new local.Command("identity", { create: "true", triggers: ["${instance}"] });
  machine.instanceId = identity.id;
  machine.resource = new local.Command(
    "machine",
    { create: "true", triggers: [identity.id, "${domain}"] },
    { deleteBeforeReplace: true },
  );
  const controlPlane = {
    kubeconfig: pulumi.secret(${JSON.stringify(access)}),
    endpoint: pulumi.output("kindows-test-control-plane:6443"),
    caCertHash: pulumi.output("${caCertHash}"),
    hostsEntries: pulumi.output([{ address: "192.168.150.128", name: "kindows-test-control-plane" }]),
    resource: new local.Command("control-plane", { create: "true", triggers: ["${cluster}"] }),
  };
  const software = imageSoftware(
    { kubernetes: "1.36.4", containerd: "${containerd.version}" },
    ${JSON.stringify({ windowsBuild: "", media: containerd.media })},
  );
  const folder = ${JSON.stringify(kubelet ?? null)};
  if (folder !== null) {
    software.kubelet = {
      ...software.kubelet,
      origin: { checksumUri: "https://example.com/", folder: folder === "missing" ? undefined : folder },
    };
  }
  const media = ${JSON.stringify(host.media)};
  const backend = ${JSON.stringify(flannel ?? null)};
  if (backend !== null) {
    for (const name of ["flannel", "flannelPlugin", "cniPlugins"]) {
      const { fileName, sha256 } = media[name];
      software[name] = { uri: "https://example.com/" + fileName, sha256, origin: "image" };
    }
  }
  const network = {
    backend, podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16", nodeCidr: "192.168.150.0/24",
  };
  const hop = ${JSON.stringify(nextHop ?? null)};
  const node = ${String(node)} && new WindowsNode("win-1", {
    machine, controlPlane, software,
    token: new BootstrapToken("token", {
      controlPlane, nodeName: "win-1", instanceId: machine.instanceId, ttlMinutes: ${String(tokenMinutes)},
    }).token,
    labels: ${JSON.stringify(labels)},
    ...(backend !== null && {
      setup: { ...defaultSetup, podNetwork: { kind: "flannel", network } },
    }),
    ...(hop !== null && {
      routes: ["10.244.0.0/16", "10.96.0.0/16"].map((range) => ({ range, nextHop: hop })),
    }),
    taints: [{ key: "os", value: "windows", effect: "NoSchedule" }],
  });
  export const facts = node && {
    name: node.nodeName, build: node.windowsBuild,
    kubernetes: node.kubernetesVersion, containerd: node.containerdVersion,
  };
`;
}
