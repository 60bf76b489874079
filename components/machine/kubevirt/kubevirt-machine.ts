import * as pulumi from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { Secret } from "@pulumi/kubernetes/core/v1/secret.js";
import type { Provider } from "@pulumi/kubernetes/provider.js";
import { macAddress } from "../mac-address.ts";
import { MachineComponent, type VirtualMachineArgs } from "../machine.ts";
import { type ByBastions, MachineKeys, sshConnection } from "../ssh-access.ts";
import { identityMetadata, kubevirtApi, type Lab, replacing, virtualMachine } from "./objects.ts";
import type { KubeVirtNode } from "./settings.ts";

export interface KubeVirtMachineArgs {
  readonly lab: Lab;
  readonly node: Pick<KubeVirtNode, "name">;
  /** Provider of the cluster that runs the machine. */
  readonly provider: Provider;
  /** The image from which its disk is cloned; undefined if the lab has not made it. */
  readonly image: pulumi.Resource | undefined;
  /** Account, key and SSH port. */
  readonly login: VirtualMachineArgs["login"] & { readonly port: number };
  /** The bastions through which it is reached. */
  readonly bastions: ByBastions;
  /**
   * Waits until the machine runs, and returns its address; in a preview, does not wait, and returns undefined if the
   * machine does not run.
   *
   * @param report receives the observed states.
   */
  readonly running: (report: (state: string) => void) => Promise<string | undefined>;
  /** Port on 127.0.0.1 that leads to its SSH server; undefined if it is dialled at its address. */
  readonly localPort: number | undefined;
}

/**
 * A virtual machine on a cluster with KubeVirt: a VirtualMachine, whose disk is a clone that comes and goes with it,
 * and a Secret with its identity disc. It stays the same machine when it is moved, evicted or killed: KubeVirt starts
 * it again.
 *
 * Not responsible for what runs in it: who needs SSH dials until it answers.
 */
export class KubeVirtMachine extends MachineComponent {
  constructor(name: string, args: KubeVirtMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { lab, node, provider, image, login, bastions, localPort } = args;
    super("kindows:machine:KubeVirtMachine", name, { facts: { node: node.name } }, opts);
    const keys = new MachineKeys(name, node.name, login, this);
    const inCluster = { parent: this, provider };
    const identity = new Secret(
      `${name}-identity`,
      {
        metadata: identityMetadata(lab, node.name),
        data: { userdata: keys.userData.apply((text) => Buffer.from(text).toString("base64")) },
      },
      inCluster,
    );
    const machine = new CustomResource(
      name,
      {
        apiVersion: kubevirtApi,
        kind: "VirtualMachine",
        ...virtualMachine(lab, node, macAddress(lab.prefix, node.name)),
      },
      {
        ...inCluster,
        dependsOn: image === undefined ? [identity] : [identity, image],
        replaceOnChanges: [...replacing],
        // Two machines cannot share a name and MAC address.
        deleteBeforeReplace: true,
        customTimeouts: { delete: "15m" },
      },
    );
    const uid = machine.metadata.apply((metadata) => metadata.uid);
    const address = uid.apply(async () => {
      const report = (state: string) => {
        void pulumi.log.info(state, machine, undefined, true).catch(() => undefined);
      };
      try {
        return (await args.running(report)) ?? (pulumi.unknown as string);
      } catch (error) {
        throw new pulumi.ResourceError((error as Error).message, machine, true);
      }
    });
    this.setMachine({
      name: node.name,
      os: "windows",
      address,
      resource: machine,
      hostKey: keys.hostKey,
      instanceId: uid,
      connection: sshConnection(
        localPort === undefined
          ? keys.access(address, login.port)
          : // Depends on the address, so that nothing dials before the machine runs.
            keys.access(
              address.apply(() => "127.0.0.1"),
              localPort,
            ),
        bastions,
      ),
    });
  }
}
