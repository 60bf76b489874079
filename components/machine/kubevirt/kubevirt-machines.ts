import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { Provider } from "@pulumi/kubernetes/provider.js";
import { hostProblemsText } from "../../../config/host-problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { LocalPort } from "../../../host/local-port.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { serverAddress } from "../../../host/kubernetes/kubeconfig.ts";
import {
  type KubeconfigSource,
  readKubeconfig,
} from "../../controlplane/existing/examine-cluster.ts";
import { randomLabId } from "../../lab-id.ts";
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
  /** Kubeconfig of the cluster that the nodes join. It is used if `machine` has none of its own. */
  readonly kubeconfig: KubeconfigSource;
  /** Account and SSH port. The key is made with the machines. */
  readonly login: { readonly user: string; readonly port: number };
  /** The bastions through which the machines are reached. */
  readonly bastions: ByBastions;
  /** Name of the stack, from which the machines' names are derived. */
  readonly stack: string;
}

/** Makes the machines, as children of a component. */
export type MakeMachines = (parent: pulumi.Resource) => MachinesInCluster;

export interface MachinesInCluster {
  /** Private key that logs in to all machines; secret. */
  readonly sshPrivateKey: pulumi.Output<string>;
  readonly machines: readonly { readonly node: KubeVirtNode; readonly machine: Machine }[];
}

/**
 * Prepares the machines of a stack on a cluster with KubeVirt. The cluster is checked, also in a preview, unless the
 * preview must work anywhere.
 *
 * @throws RunError with all problems of the cluster, before anything is made.
 */
export async function machinesInCluster({
  machine,
  login: { user, port },
  bastions,
  stack,
  ...args
}: MachinesInClusterArgs): Promise<MakeMachines> {
  // Before anything else: the objects that are made and looked for carry it.
  const lab = labOf(machine, stack, await valueOf(randomLabId()));
  const found = isPreviewAnywhere()
    ? undefined
    : await examine(lab, machine.kubeconfig ?? args.kubeconfig).catch((error: unknown) => {
        throw new pulumi.RunError(messageOf(error));
      });
  let uploading: Promise<void> | undefined;
  // A preview does not wait.
  const made = isDryRun() ? undefined : found;
  const address = async (
    node: KubeVirtNode,
    report: (state: string) => void,
  ): Promise<string | undefined> => {
    if (made === undefined) return addressNow(lab, node, found?.watch);
    if (machine.image.kind === "upload") {
      await (uploading ??= uploadImage(made.api, made.watch, lab, machine.image, report));
    }
    return running(lab, node, made.watch, report);
  };
  const localPort = async (node: KubeVirtNode): Promise<number | undefined> => {
    if (!machine.portForward) return undefined;
    const local = node.localPort ?? defaultPort(machineName(lab, node.name));
    if (made !== undefined) await sshThroughApi(lab, node, port, made).listen(local);
    return local;
  };
  const ports = await Promise.all(machine.nodes.map(localPort));
  return (parent) => {
    const kubeconfig = pulumi.secret(found?.kubeconfig ?? (pulumi.unknown as string));
    const provider = new Provider(
      "kubevirt",
      {
        kubeconfig,
        clusterIdentifier: pulumi.unsecret(kubeconfig.apply(serverAddress)),
        // Takes over objects that a killed run made but did not record. clusterProblems has checked that they carry the
        // stack's id.
        upsertExistingObjects: true,
      },
      { parent },
    );
    const key = new SshKey("login", { comment: lab.prefix }, { parent });
    const golden = goldenImage(lab);
    const image =
      golden &&
      new CustomResource(
        "image",
        { apiVersion: importerApi, kind: "DataVolume", ...golden },
        { parent, provider, replaceOnChanges: ["spec"] },
      );
    const machines = machine.nodes.map((node, index) => ({
      node,
      machine: new KubeVirtMachine(
        node.name,
        {
          ...{ lab, node, provider, image, bastions },
          login: { user, port, key },
          running: (report) => address(node, report),
          localPort: ports[index],
        },
        { parent },
      ),
    }));
    return { sshPrivateKey: key.privateKey, machines };
  };
}

/** The value of an output; undefined in a preview that does not know it. */
function valueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  return (output as unknown as { promise(): Promise<T | undefined> }).promise();
}

interface FoundCluster {
  readonly kubeconfig: string;
  readonly api: ClusterApi;
  readonly watch: LabWatch;
}

async function examine(lab: Lab, source: KubeconfigSource): Promise<FoundCluster> {
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

/**
 * Waits until a node's machine runs, and returns its address.
 *
 * @throws after the time limit, with the state that the cluster shows.
 */
export async function running(
  lab: Lab,
  { name: node, address }: Pick<KubeVirtNode, "name" | "address">,
  watch: LabWatch,
  report: (state: string) => void,
  seconds = lab.machine.startMinutes * 60,
): Promise<string> {
  const name = machineName(lab, node);
  const image = goldenImage(lab)?.metadata.name;
  if (image !== undefined) {
    const wait = { what: `the image ${image}`, seconds, onChange: report };
    await watch.until(wait, [image], (objects) => imageState(objects, image));
  }
  const what = `the VirtualMachine ${name}`;
  const existence = { what, seconds: Math.min(60, seconds), onChange: report };
  await watch.until(existence, [name], ({ machines }) =>
    machines.has(name)
      ? { found: true }
      : "there is none. If it was removed, `kindows doctor --fix` removes it from the stack's state",
  );
  const wait = { what: `the machine of ${node} to run`, seconds, onChange: report };
  const found = await watch.until(wait, [name], (objects) => instanceState(objects, name, address));
  return found.address;
}

/**
 * A port of this host that forwards through the API server to the SSH server of a node's machine. Not yet listening.
 */
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
    instead:
      "End the program that uses it, or write another port as localPort of the node in kindows:machine.nodes.",
    failed: (error) => {
      const why = messageOf(error);
      if (why !== last) pulumi.log.warn(`${what}: ${why}`).catch(() => undefined);
      last = why;
    },
  });
}

/**
 * A port below Linux' ephemeral ones. It is the same in each run, because it is an input of the machine's resources.
 */
function defaultPort(machine: string): number {
  return 10_000 + (createHash("sha256").update(machine).digest().readUInt32BE(0) % 20_000);
}
