import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { Provider } from "@pulumi/kubernetes/provider.js";
import type * as z from "zod";
import { messageOf } from "../../../host/failure.ts";
import { LocalPort } from "../../../host/local-port.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { serverAddress } from "../../../kubernetes/kubeconfig.ts";
import { dialHops, openFrom } from "../../../ssh/dial.ts";
import {
  type KubeconfigSource,
  readKubeconfig,
} from "../../controlplane/existing/examine-cluster.ts";
import { clusterProblemsText } from "../../controlplane/existing/cluster-problem.ts";
import { isPreviewAnywhere } from "../../preview-anywhere.ts";
import { effectiveHops, type login as loginSchema } from "../existing/login.ts";
import type { PinnedMachine } from "../machine.ts";
import { SshKey } from "../ssh-key.ts";
import { uploadImage } from "./image-upload.ts";
import { imageState, instanceState } from "./instance-state.ts";
import { KubeVirtMachine } from "./kubevirt-machine.ts";
import { LabWatch } from "./lab-watch.ts";
import { goldenImage, importerApi, type Lab, labOf, machineName } from "./objects.ts";
import { clusterProblems } from "./readiness.ts";
import type { KubeVirtNode, KubeVirtSettings } from "./settings.ts";
import { openSubresource } from "./subresources.ts";

type Login = z.output<typeof loginSchema>;

export interface MachinesInClusterArgs {
  readonly machine: KubeVirtSettings;
  /** That of the cluster that the nodes join: where the machines' own is not written. */
  readonly kubeconfig: KubeconfigSource;
  /** Account and bastions; the key that logs in to the machines is made with them. */
  readonly login: Login;
  /** Name of the stack: the machines' names begin with it. */
  readonly stack: string;
}

export interface MachinesInCluster {
  /** Logs in to all of them; secret. */
  readonly sshPrivateKey: pulumi.Output<string>;
  readonly machines: readonly { readonly node: KubeVirtNode; readonly machine: PinnedMachine }[];
}

/**
 * The machines of a stack on a cluster with KubeVirt. The cluster is looked at first, in a preview too, but for one that
 * has to work anywhere.
 *
 * @throws RunError with all that stands against making them, before anything is made.
 */
export async function machinesInCluster({
  machine,
  login,
  stack,
  ...args
}: MachinesInClusterArgs): Promise<MachinesInCluster> {
  const lab = labOf(machine, stack);
  const found = isPreviewAnywhere()
    ? undefined
    : await look(lab, machine.kubeconfig ?? args.kubeconfig).catch((error: unknown) => {
        throw new pulumi.RunError(messageOf(error));
      });
  const kubeconfig = pulumi.secret(found?.kubeconfig ?? (pulumi.unknown as string));
  const provider = new Provider("kubevirt", {
    kubeconfig,
    clusterIdentifier: pulumi.unsecret(kubeconfig.apply(serverAddress)),
    // What a killed run made without writing it down is taken over: nobody else's has its names, as was looked.
    upsertExistingObjects: true,
  });
  const key = new SshKey("login", { comment: lab.prefix });
  const golden = goldenImage(lab);
  const image =
    golden &&
    new CustomResource(
      "image",
      { apiVersion: importerApi, kind: "DataVolume", ...golden },
      { provider, replaceOnChanges: ["spec"] },
    );
  let uploading: Promise<void> | undefined;
  const upload = async (tell: (seen: string) => void): Promise<void> => {
    if (machine.image.kind !== "upload" || found === undefined || isDryRun()) return;
    await (uploading ??= uploadImage(found.api, found.watch, lab, machine.image, tell));
  };
  const ways = new Ways(lab, login, found);
  const machines = await Promise.all(
    machine.nodes.map(async (node) => ({
      node,
      machine: new KubeVirtMachine(node.name, {
        ...{ lab, node, provider, image },
        login: { user: login.user, port: login.port, key },
        running: async (tell) => {
          await upload(tell);
          return running(lab, node, found?.watch, tell);
        },
        localPort: await ways.localPort(node),
      }),
    })),
  );
  return { sshPrivateKey: key.privateKey, machines };
}

/** A cluster that machines can be made on. */
export interface FoundCluster {
  readonly kubeconfig: string;
  readonly api: ClusterApi;
  readonly watch: LabWatch;
}

async function look(lab: Lab, source: KubeconfigSource): Promise<FoundCluster> {
  const kubeconfig = readKubeconfig(source);
  const api = new ClusterApi(kubeconfig);
  const problems = await clusterProblems(api, lab);
  if (problems.length > 0) {
    throw new Error(clusterProblemsText(problems));
  }
  return { kubeconfig, api, watch: await LabWatch.open(api, lab) };
}

/**
 * The address of a node's machine, as soon as that runs. A preview does not wait.
 *
 * @throws after the time limit, with what the cluster says.
 */
export async function running(
  lab: Lab,
  { name: node, address }: Pick<KubeVirtNode, "name" | "address">,
  watch: LabWatch | undefined,
  tell: (seen: string) => void,
  seconds = lab.machine.startMinutes * 60,
): Promise<string | undefined> {
  const name = machineName(lab, node);
  if (watch === undefined || isDryRun()) {
    const seen = watch === undefined ? "" : instanceState(watch.objects, name, address);
    return typeof seen === "string" ? address : seen.found.address;
  }
  const image = goldenImage(lab)?.metadata.name;
  if (image !== undefined) {
    const wait = { what: `the image ${image}`, seconds, onChange: tell };
    await watch.until(wait, [image], (objects) => imageState(objects, image));
  }
  const there = {
    what: `the VirtualMachine ${name}`,
    seconds: Math.min(60, seconds),
    onChange: tell,
  };
  await watch.until(there, [name], ({ machines }) =>
    machines.has(name)
      ? { found: true }
      : "there is none. If somebody has removed it, `kindows doctor --fix` takes it out of the stack's state",
  );
  const wait = { what: `the machine of ${node} to run`, seconds, onChange: tell };
  const found = await watch.until(wait, [name], (objects) => instanceState(objects, name, address));
  return found.address;
}

/** How machines are reached that are not dialled at their addresses: by ports of this host, while the program runs. */
export class Ways {
  readonly #lab: Lab;
  readonly #login: Login;
  readonly #found: FoundCluster | undefined;

  constructor(lab: Lab, login: Login, found: FoundCluster | undefined) {
    this.#lab = lab;
    this.#login = login;
    this.#found = found;
  }

  /** The port that leads to a node's machine; undefined where none is needed. It is listened on when something may dial. */
  async localPort(node: KubeVirtNode): Promise<number | undefined> {
    if (this.#login.bastions.length === 0 && !this.#lab.machine.portForward) return undefined;
    const port = node.localPort ?? defaultPort(machineName(this.#lab, node.name));
    if (!isDryRun()) {
      const what = `the machine of ${node.name}`;
      let last = "";
      const local = new LocalPort({
        ...{ what, open: () => this.open(node) },
        instead:
          "End that, or write another port as localPort of the node in kindows:machine.nodes.",
        failed: (why) => {
          if (why !== last) pulumi.log.warn(`${what}: ${why}`).catch(() => undefined);
          last = why;
        },
      });
      await local.listen(port);
    }
    return port;
  }

  /** Opens one connection to the SSH server of a node's machine. */
  async open(node: KubeVirtNode): Promise<Duplex> {
    const signal = AbortSignal.timeout(60_000);
    const host = await running(this.#lab, node, this.#found?.watch, () => undefined);
    const { namespace, portForward } = this.#lab.machine;
    if (portForward && this.#found !== undefined) {
      const machine = { namespace, name: machineName(this.#lab, node.name) };
      return openSubresource(this.#found.api, machine, `portforward/${this.#login.port}/tcp`);
    }
    const hops = effectiveHops(this.#login).map(
      ({ address, port, user, hostKey, privateKeyFile, privateKey, privateKeyPassphrase }) => ({
        ...{ host: address, port, user, hostKey, privateKeyPassword: privateKeyPassphrase },
        privateKey:
          privateKeyFile === undefined ? privateKey : readFileSync(privateKeyFile, "utf8"),
      }),
    );
    const last = await dialHops(hops, { signal, progress: () => undefined });
    try {
      const place = { host: host ?? "", port: this.#login.port, user: this.#login.user };
      const end = await openFrom(last.client, place, signal);
      end.once("close", () => {
        last.close();
      });
      return end;
    } catch (error) {
      last.close();
      throw error;
    }
  }
}

/** Below those that Linux gives out by itself; the same in each run, as it is an input of the machine's resources. */
const [firstPort, ports] = [10_000, 20_000];

function defaultPort(machine: string): number {
  const hash = createHash("sha256").update(machine).digest();
  return firstPort + (hash.readUInt32BE(0) % ports);
}
