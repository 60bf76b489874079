import type { HostProblem } from "../../../config/host-problem.ts";
import { messageOf } from "../../../host/failure.ts";
import { LocalPort } from "../../../host/local-port.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { serverAddress } from "../../../host/kubernetes/kubeconfig.ts";
import {
  type KubeconfigSource,
  readKubeconfig,
} from "../../controlplane/existing/examine-cluster.ts";
import type { HostResource, KnownResource } from "../../host-resource.ts";
import type { SeenMachine, StackMachines } from "../stack-machines.ts";
import { addressOf, instanceState } from "./instance-state.ts";
import { LabWatch, listPath, type Seen } from "./lab-watch.ts";
import { idLabel, type Lab, labOf, labSelector, machineName } from "./objects.ts";
import { clusterProblems } from "./readiness.ts";
import type { KubeVirtSettings } from "./settings.ts";
import { type Instance, openSubresource, screenshot } from "./subresources.ts";

/** API paths of the kinds that have a lab's labels, in the order of removal. */
const paths = {
  VirtualMachine: (namespace: string) => listPath("machines", namespace),
  DataVolume: (namespace: string) => listPath("volumes", namespace),
  Secret: (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`,
} as const;
type Kind = keyof typeof paths;

export class KubeVirtStack implements StackMachines {
  readonly lab: Lab;
  readonly server: string;
  readonly #api: ClusterApi;

  /** @throws an error that names the setting, if the kubeconfig cannot be used. */
  constructor(machine: KubeVirtSettings, cluster: KubeconfigSource, stack: string) {
    const kubeconfig = readKubeconfig(machine.kubeconfig ?? cluster);
    this.lab = labOf(machine, stack, undefined);
    this.server = serverAddress(kubeconfig);
    this.#api = new ClusterApi(kubeconfig);
  }

  /** The machines of the settings, and others of the lab that exist. */
  async seen(): Promise<SeenMachine[]> {
    const { objects } = await LabWatch.open(this.#api, this.lab);
    const { nodes } = this.lab.machine;
    const names = new Set([
      ...nodes.map((node) => machineName(this.lab, node.name)),
      ...objects.machines.keys(),
    ]);
    return [...names].map((name) => {
      const node = name.slice(machineName(this.lab, "").length);
      const address = nodes.find((each) => each.name === node)?.address;
      const instance = objects.instances.get(name);
      const state = instanceState(objects, name, address);
      return {
        node,
        state:
          instance?.status?.phase ??
          objects.machines.get(name)?.status?.printableStatus ??
          "not there",
        host: instance?.status?.nodeName ?? "",
        address: address ?? (instance && addressOf(instance)) ?? "",
        ...(typeof state === "string" && { trouble: state }),
      };
    });
  }

  async screen(node: string, failed: (why: string) => void): Promise<LocalPort> {
    const open = () => openSubresource(this.#api, this.#instance(node), "vnc");
    // Fails early if the screen cannot be opened. The next connection takes over the screen.
    (await open()).destroy();
    const what = `the screen of ${node}`;
    const port = new LocalPort({
      ...{ what, instead: "Try again.", open },
      failed: (error) => failed(messageOf(error)),
    });
    await port.listen(0);
    return port;
  }

  screenshot(node: string): Promise<Buffer> {
    return screenshot(this.#api, this.#instance(node));
  }

  #instance(node: string): Instance {
    return { namespace: this.lab.machine.namespace, name: machineName(this.lab, node) };
  }

  problems(): Promise<HostProblem[]> {
    return clusterProblems(this.#api, this.lab);
  }

  /**
   * Objects with the lab's name that are not in the state and have no owner that removes them. The mark of another
   * stack of the same name is another one.
   */
  async leftOver(resources: readonly KnownResource[]): Promise<HostResource[]> {
    const owned = new Set(resources.map(({ type, id }) => `${type.split(":").at(-1)} ${id}`));
    const found = await Promise.all(
      (Object.keys(paths) as Kind[]).map(async (kind) =>
        (await this.#list(kind))
          .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.length === 0)
          .map(({ metadata: { name, uid, labels = {} } }) => ({
            kind,
            name: `${this.lab.machine.namespace}/${name}`,
            lab: this.lab.prefix,
            identity: `${kind} ${this.lab.machine.namespace}/${name}`,
            mark: labels[idLabel] ?? "",
            locator: uid,
          }))
          .filter(({ identity }) => !owned.has(identity)),
      ),
    );
    return found.flat();
  }

  /** Removes an object that `leftOver` returned, and no other of the same name. Succeeds if it is gone. */
  async remove({ kind, name, locator }: HostResource): Promise<void> {
    const path = `${this.#path(kind as Kind)}/${name.split("/").at(-1)}`;
    const precondition = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid: locator },
    };
    await this.#api.delete(path, { body: precondition });
  }

  /** URNs of machines in the state that no longer exist in this cluster and namespace. */
  async gone(resources: readonly KnownResource[]): Promise<string[]> {
    const isHere = resources.some(
      ({ type, inputs }) =>
        type === "pulumi:providers:kubernetes" && inputs?.["clusterIdentifier"] === this.server,
    );
    const known = resources.filter(
      ({ type, id }) =>
        type === "kubernetes:kubevirt.io/v1:VirtualMachine" &&
        id?.startsWith(`${this.lab.machine.namespace}/`),
    );
    if (!isHere || known.length === 0) return [];
    const there = new Set((await this.#list("VirtualMachine")).map(({ metadata }) => metadata.uid));
    const uidOf = ({ outputs }: KnownResource): string =>
      (outputs?.["metadata"] as { readonly uid?: string } | undefined)?.uid ?? "";
    return known.filter((resource) => !there.has(uidOf(resource))).map(({ urn }) => urn);
  }

  async #list(kind: Kind): Promise<readonly OwnedObject[]> {
    const query = labSelector(this.lab);
    const { items } = await this.#api.request<{ items: readonly OwnedObject[] }>(
      "GET",
      this.#path(kind),
      { query },
    );
    return items;
  }

  #path(kind: Kind): string {
    return paths[kind](this.lab.machine.namespace);
  }
}

interface OwnedObject extends Seen {
  readonly metadata: Seen["metadata"] & { readonly ownerReferences?: readonly unknown[] };
}
