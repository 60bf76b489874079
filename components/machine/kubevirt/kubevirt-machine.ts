import * as pulumi from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource.js";
import { Secret } from "@pulumi/kubernetes/core/v1/secret.js";
import type { Provider } from "@pulumi/kubernetes/provider.js";
import { type ByBastions, connectionOf } from "../existing/existing-machine.ts";
import { userData } from "../identity.ts";
import { macAddress } from "../mac-address.ts";
import { MachineComponent } from "../machine.ts";
import { SshKey } from "../ssh-key.ts";
import { identityMetadata, kubevirtApi, type Lab, replacing, virtualMachine } from "./objects.ts";
import type { KubeVirtNode } from "./settings.ts";

export interface KubeVirtMachineArgs {
  readonly lab: Lab;
  readonly node: Pick<KubeVirtNode, "name">;
  /** Of the cluster that runs it. */
  readonly provider: Provider;
  /** What its disk is a clone of, where the lab has made that. */
  readonly image: pulumi.Resource | undefined;
  /** Who logs in to it, and with what. */
  readonly login: { readonly user: string; readonly port: number; readonly key: SshKey };
  /** The hosts in between. */
  readonly bastions: ByBastions;
  /**
   * Waits until the machine runs, and tells its address; undefined in a preview of one that does not.
   *
   * @param tell is told what is seen meanwhile.
   */
  readonly running: (tell: (seen: string) => void) => Promise<string | undefined>;
  /** Port of 127.0.0.1 that leads to its SSH server; undefined: it is dialled at its address. */
  readonly localPort: number | undefined;
}

/**
 * A virtual machine on a cluster with KubeVirt: a VirtualMachine, whose disk is a clone that comes and goes with it, and
 * a Secret with its identity disc. It stays the same machine when it is moved, evicted or killed: KubeVirt starts it again.
 *
 * Not responsible for what runs in it: who needs SSH dials until it answers.
 */
export class KubeVirtMachine extends MachineComponent {
  constructor(name: string, args: KubeVirtMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { lab, node, provider, image, login, bastions, localPort } = args;
    super("kindows:machine:KubeVirtMachine", name, { facts: { node: node.name } }, opts);
    const hostKey = new SshKey(`${name}-host-key`, { comment: node.name }, { parent: this });
    const inCluster = { parent: this, provider };
    const userdata = pulumi
      .all([hostKey.privateKey, hostKey.publicKey, login.key.publicKey])
      .apply(([hostPrivateKey, hostPublicKey, loginKey]) => {
        const identity = { computerName: node.name, hostPrivateKey, hostPublicKey };
        const text = userData({ ...identity, authorizedKeys: [loginKey] });
        return Buffer.from(text).toString("base64");
      });
    const identity = new Secret(
      `${name}-identity`,
      {
        metadata: identityMetadata(lab, node.name),
        data: { userdata: pulumi.secret(userdata) },
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
        // Two of one name and MAC address cannot be.
        deleteBeforeReplace: true,
        customTimeouts: { delete: "15m" },
      },
    );
    const uid = machine.metadata.apply((metadata) => metadata.uid);
    const address = uid.apply(async () => {
      const tell = (seen: string) => {
        void pulumi.log.info(seen, machine, undefined, true).catch(() => undefined);
      };
      try {
        return (await args.running(tell)) ?? (pulumi.unknown as string);
      } catch (error) {
        throw new pulumi.ResourceError((error as Error).message, machine, true);
      }
    });
    this.is({
      name: node.name,
      os: "windows",
      address,
      resource: machine,
      hostKey: hostKey.publicKey,
      instanceId: uid,
      connection: pulumi.secret(
        pulumi
          .all([address, login.key.privateKey, hostKey.publicKey])
          .apply(([address, privateKey, publicKey]) => {
            const place =
              localPort === undefined
                ? { host: address, port: login.port }
                : { host: "127.0.0.1", port: localPort };
            const access = { ...place, user: login.user, privateKey, hostKey: publicKey };
            return connectionOf(access, bastions);
          }),
      ),
    });
  }
}
