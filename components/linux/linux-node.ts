import * as pulumi from "@pulumi/pulumi";
import type { Facts } from "../facts.ts";
import type { ImageArchive } from "../image-archives/image-archive.ts";
import type { CaCertificate } from "../node/ca-certificates.ts";
import { nodeObject } from "../node/node-object.ts";
import { type JoiningMachine, withDefaults } from "../node/joining-machine.ts";
import { textFact } from "../node/step-result.ts";
import { runLinuxSteps } from "./run-steps.ts";
import { installPrograms, joinNode, type LinuxPrograms } from "./steps.ts";

/** `machine`: a Linux machine with systemd, cloud-init and root login, possibly still booting. */
export interface LinuxNodeArgs extends JoiningMachine {
  /** The programs to install. */
  readonly programs: LinuxPrograms;
  /** Archives of images that the machine has before it joins. Default: none. */
  readonly imageArchives?: readonly ImageArchive[];
  /** Certificates that the machine trusts besides those of its system. Default: none. */
  readonly certificates?: readonly CaCertificate[];
  /** Address and port at which the machine finds the lab's registry. Default: it has none. */
  readonly registry?: pulumi.Input<string> | undefined;
}

/** Longest wait for the node to be Ready, in seconds. Emulated machines need most of it. */
const readySeconds = 900;

/**
 * Turns a Linux machine into a worker of a cluster, from its first boot to Ready. As with Windows nodes, the machine is
 * prepared while the control plane is created, and only the join waits for both. Removing this resource drains and
 * deletes the Node, and resets the machine unless it is removed too.
 *
 * Not responsible for the machine, the pod network or the token.
 *
 * @throws pulumi.ResourceError if the machine does not run Linux, if the programs have another Kubernetes version than
 * the cluster, and, outside previews, if the programs are missing.
 */
export class LinuxNode extends pulumi.ComponentResource {
  /** Name of the joined node. */
  readonly nodeName: pulumi.Output<string>;
  /** Version of its kubelet, without a leading `v`. */
  readonly kubernetesVersion: pulumi.Output<string>;
  /** Version of its containerd, without a leading `v`. */
  readonly containerdVersion: pulumi.Output<string>;
  /** For `dependsOn`: the node is in the cluster, Ready or not. */
  readonly registered: pulumi.Resource;
  /** For `dependsOn`: the node is Ready. */
  readonly resource: pulumi.Resource;

  constructor(name: string, args: LinuxNodeArgs, opts?: pulumi.ComponentResourceOptions) {
    const {
      machine,
      controlPlane,
      programs,
      podNetwork,
      imageArchives = [],
      certificates = [],
      registry,
    } = args;
    const facts: Facts<"kindows:linux:LinuxNode"> = { node: machine.name };
    super("kindows:linux:LinuxNode", name, { facts }, opts);
    if (machine.os !== "linux") {
      throw new pulumi.ResourceError(
        `${machine.name} is a ${machine.os} machine: a LinuxNode needs one with os "linux"`,
        this,
      );
    }
    if (programs.kubernetesVersion !== controlPlane.kubernetesVersion) {
      throw new pulumi.ResourceError(
        `${machine.name}: the programs for Linux nodes are of Kubernetes ${programs.kubernetesVersion}, ` +
          `the cluster is of ${controlPlane.kubernetesVersion}`,
        this,
      );
    }
    const joining = { ...withDefaults(args), programs, imageArchives, certificates, registry };
    const steps = runLinuxSteps({ name, machine, parent: this }, joining);
    const joined = steps.of(joinNode);
    const installed = steps.of(installPrograms);
    const node = nodeObject(name, joining, {
      versions: { kubernetes: programs.kubernetesVersion, programs: programs.sha256 },
      readySeconds,
      awaitsReady: args.awaitsReady,
      needs: podNetwork === undefined ? [] : [podNetwork],
      parent: this,
      dependsOn: [joined.command],
    });
    this.registered = node.registered;
    this.resource = node.ready;
    this.nodeName = joined.result.apply((result) => textFact(result, "nodeName"));
    this.kubernetesVersion = installed.result.apply((result) => textFact(result, "kubernetes"));
    this.containerdVersion = installed.result.apply((result) => textFact(result, "containerd"));
    this.registerOutputs({
      nodeName: this.nodeName,
      kubernetesVersion: this.kubernetesVersion,
      containerdVersion: this.containerdVersion,
    });
  }
}
