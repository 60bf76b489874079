import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { Provider } from "@pulumi/kubernetes/provider.js";
import { hostProblemsText } from "../../../config/host-problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { LocalPort } from "../../../host/local-port.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { serverAddress } from "../../../kubernetes/kubeconfig.ts";
import {
  type KubeconfigSource,
  readKubeconfig,
} from "../../controlplane/existing/examine-cluster.ts";
import { isPreviewAnywhere } from "../../preview-anywhere.ts";
import type { Machine } from "../machine.ts";
import type { ByBastions } from "../ssh-access.ts";
import { SshKey } from "../ssh-key.ts";
import { uploadImage } from "./image-upload.ts";
import { imageState, instanceState } from "./instance-state.ts";
import { KubeVirtMachine } from "./kubevirt-machine.ts";
import { LabWatch } from "./lab-watch.ts";
import { goldenImage, importerApi, type Lab, labOf, machineName } from "./objects.ts";
import { clusterProblems } from "./readiness.ts";
import type { KubeVirtNode, KubeVirtSettings } from "./settings.ts";
import { openSubresource } from "./subresources.ts";

export interface MachinesInClusterArgs {
  readonly machine: KubeVirtSettings;
  /** That of the cluster that the nodes join: where the machines' own is not written. */
  readonly kubeconfig: KubeconfigSource;
  /** Account and SSH port; the key that logs in to the machines is made with them. */
  readonly login: { readonly user: string; readonly port: number };
  /** The hosts by which they are reached. */
  readonly bastions: ByBastions;
  /** Name of the stack: the machines' names begin with it. */
  readonly stack: string;
}

export interface MachinesInCluster {
  /** Logs in to all of them; secret. */
  readonly sshPrivateKey: pulumi.Output<string>;
  readonly machines: readonly { readonly node: KubeVirtNode; readonly machine: Machine }[];
}

/**
 * The machines of a stack on a cluster with KubeVirt. The cluster is looked at first, in a preview too, but for one that
 * has to work anywhere.
 *
 * @throws RunError with all that stands against making them, before anything is made.
 */
export async function machinesInCluster({
  machine,
  login: { user, port },
  bastions,
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
  // A preview does not wait.
  const made = isDryRun() ? undefined : found;
  const address = async (
    node: KubeVirtNode,
    tell: (seen: string) => void,
  ): Promise<string | undefined> => {
    if (made === undefined) return addressNow(lab, node, found?.watch);
    if (machine.image.kind === "upload") {
      await (uploading ??= uploadImage(made.api, made.watch, lab, machine.image, tell));
    }
    return running(lab, node, made.watch, tell);
  };
  const localPort = async (node: KubeVirtNode): Promise<number | undefined> => {
    if (!machine.portForward) return undefined;
    const local = node.localPort ?? defaultPort(machineName(lab, node.name));
    if (made !== undefined) await sshThroughApi(lab, node, port, made).listen(local);
    return local;
  };
  const machines = await Promise.all(
    machine.nodes.map(async (node) => ({
      node,
      machine: new KubeVirtMachine(node.name, {
        lab,
        node,
        provider,
        image,
        bastions,
        login: { user, port, key },
        running: (tell) => address(node, tell),
        localPort: await localPort(node),
      }),
    })),
  );
  return { sshPrivateKey: key.privateKey, machines };
}

interface FoundCluster {
  readonly kubeconfig: string;
  readonly api: ClusterApi;
  readonly watch: LabWatch;
}

async function look(lab: Lab, source: KubeconfigSource): Promise<FoundCluster> {
  const kubeconfig = readKubeconfig(source);
  const api = new ClusterApi(kubeconfig);
  const problems = await clusterProblems(api, lab);
  if (problems.length > 0) throw new Error(hostProblemsText(problems, "in the cluster"));
  return { kubeconfig, api, watch: await LabWatch.open(api, lab) };
}

function addressNow(
  lab: Lab,
  { name, address }: KubeVirtNode,
  watch: LabWatch | undefined,
): string | undefined {
  if (watch === undefined || address !== undefined) return address;
  const seen = instanceState(watch.objects, machineName(lab, name), address);
  return typeof seen === "string" ? undefined : seen.found.address;
}

/** The address of a node's machine, as soon as that runs. @throws after the time limit, with what the cluster says */
export async function running(
  lab: Lab,
  { name: node, address }: Pick<KubeVirtNode, "name" | "address">,
  watch: LabWatch,
  tell: (seen: string) => void,
  seconds = lab.machine.startMinutes * 60,
): Promise<string> {
  const name = machineName(lab, node);
  const image = goldenImage(lab)?.metadata.name;
  if (image !== undefined) {
    const wait = { what: `the image ${image}`, seconds, onChange: tell };
    await watch.until(wait, [image], (objects) => imageState(objects, image));
  }
  const what = `the VirtualMachine ${name}`;
  const there = { what, seconds: Math.min(60, seconds), onChange: tell };
  await watch.until(there, [name], ({ machines }) =>
    machines.has(name)
      ? { found: true }
      : "there is none. If somebody has removed it, `kindows doctor --fix` takes it out of the stack's state",
  );
  const wait = { what: `the machine of ${node} to run`, seconds, onChange: tell };
  const found = await watch.until(wait, [name], (objects) => instanceState(objects, name, address));
  return found.address;
}

/** A port of this host that leads to the SSH server of a node's machine through the API server; not listened on yet. */
export function sshThroughApi(
  lab: Lab,
  node: KubeVirtNode,
  sshPort: number,
  { api, watch }: FoundCluster,
): LocalPort {
  const what = `the machine of ${node.name}`;
  const { namespace } = lab.machine;
  let last = "";
  return new LocalPort({
    what,
    open: async () => {
      await running(lab, node, watch, () => undefined);
      const machine = { namespace, name: machineName(lab, node.name) };
      return openSubresource(api, machine, `portforward/${sshPort}/tcp`);
    },
    instead: "End that, or write another port as localPort of the node in kindows:machine.nodes.",
    failed: (why) => {
      if (why !== last) pulumi.log.warn(`${what}: ${why}`).catch(() => undefined);
      last = why;
    },
  });
}

/** Below those that Linux gives out by itself; the same in each run, as it is an input of the machine's resources. */
function defaultPort(machine: string): number {
  return 10_000 + (createHash("sha256").update(machine).digest().readUInt32BE(0) % 20_000);
}
