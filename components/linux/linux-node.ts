import * as pulumi from "@pulumi/pulumi";
import type { Facts } from "../facts.ts";
import { pushToMachine } from "../machine/push-to-machine.ts";
import { nodeObject } from "../node/node-object.ts";
import type { JoiningMachine } from "../node/joining-machine.ts";
import { textFact } from "../windows/step-result.ts";
import type { StepContext } from "../windows/run-steps.ts";
import { runLinuxSteps } from "./run-steps.ts";
import { installPrograms, joinNode, remoteArchive, type LinuxPrograms } from "./steps.ts";

/** `machine`: a Linux machine with systemd, cloud-init and root login, possibly still booting. */
export interface LinuxNodeArgs extends JoiningMachine {
  /** What is installed. */
  readonly programs: LinuxPrograms;
}

/** Longest waits in seconds; emulated machines need most of that. */
const pushSeconds = 1800;
const readySeconds = 900;

/**
 * Turns a Linux machine into a worker of a cluster, from its first boot to Ready. As with Windows nodes, the machine is
 * prepared while the control plane is created, and only the join waits for both. Removing it drains and deletes the Node,
 * and resets the machine if that stays.
 *
 * Not responsible for the machine, the pod network or the token.
 *
 * @throws pulumi.ResourceError for a machine that does not run Linux, and outside previews for programs that are missing or
 * have another version than the cluster.
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
    const { machine, controlPlane, programs, labels = {}, taints = [] } = args;
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
    const context = { name, machine, parent: this };
    const joining = {
      ...{ machine, controlPlane, programs, token: args.token, labels, taints },
      kubeletArgs: args.kubeletArgs ?? {},
      nodeIp: pulumi.output(args.nodeIp ?? machine.address),
    };
    const runOf = runLinuxSteps(context, joining, (after) =>
      pushPrograms(context, programs, after),
    );
    const joined = runOf(joinNode);
    const installed = runOf(installPrograms);
    const node = nodeObject(
      name,
      machine,
      controlPlane,
      {
        labels,
        taints,
        versions: { kubernetes: programs.kubernetesVersion, programs: programs.sha256 },
        readySeconds,
        token: args.token,
        needs: args.podNetwork === undefined ? [] : [args.podNetwork],
      },
      { parent: this, dependsOn: [joined.command] },
    );
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

/** Copies the archive from this host to a machine; the step that unpacks it checks it there. */
function pushPrograms(
  { name, machine, parent }: StepContext,
  { path, sha256 }: LinuxPrograms,
  after: pulumi.Resource,
): pulumi.Resource {
  if (path === undefined && !pulumi.runtime.isDryRun()) {
    throw new pulumi.ResourceError(
      `${machine.name}: the programs for Linux nodes are not made: run \`./kindows prepare\``,
      parent,
    );
  }
  return pushToMachine(
    `${name}-push-programs`,
    machine,
    {
      source: path === undefined ? undefined : new pulumi.asset.FileAsset(path),
      remotePath: remoteArchive,
      sha256,
      limitSeconds: pushSeconds,
    },
    { parent, dependsOn: [after] },
  );
}
