import * as pulumi from "@pulumi/pulumi";
import type { Facts } from "../facts.ts";
import { machineJoinConfig } from "../controlplane/worker-join-config.ts";
import { pushToMachine } from "../machine/push-to-machine.ts";
import { nodeObject } from "../node/node-object.ts";
import type { JoiningMachine } from "../node/joining-machine.ts";
import { renderLabels } from "../node/node-registration.ts";
import { textFact } from "../windows/step-result.ts";
import { copyLinuxSteps, linuxStep, type LinuxStep, type LinuxStepContext } from "./linux-step.ts";

/** The archive with what makes a Debian machine a node (programs/artifact.ts). */
export interface LinuxPrograms {
  /** Absolute path on this host; undefined while it is not made, which only a preview takes. */
  readonly path: string | undefined;
  /** SHA-256 in lower case; what the machine has by that is not copied again. */
  readonly sha256: string;
  /** Version of Kubernetes in it, without a leading `v`. */
  readonly kubernetesVersion: string;
}

/** `machine`: a Linux machine with systemd and cloud-init that takes root's logins, or will once it has booted. */
export interface LinuxNodeArgs extends JoiningMachine {
  /** What is installed. */
  readonly programs: LinuxPrograms;
}

/** Where the archive lies on a machine until it is installed. */
const remoteArchive = "/var/lib/kindows-programs.tar.gz";

/** Longest time from the start of a machine until it answers, in seconds. */
export const linuxBootSeconds = 1200;

/** Longest waits in seconds; emulated machines need most of them. */
const seconds = { boot: linuxBootSeconds, push: 1800, install: 2400, join: 600, ready: 900 };

/**
 * A Linux machine made a worker of a cluster, from its first boot to Ready, by the way Windows nodes go: what concerns
 * the machine alone while the control plane is made, only the join waits for both. Removing it drains and deletes the
 * Node, and resets the machine where that stays.
 *
 * Not responsible for the machine, the pod network or the token.
 *
 * @throws pulumi.ResourceError for a machine that does not run Linux, and outside previews for programs that are not made
 * or are of another version than the cluster.
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
  /** For `dependsOn`: the node is Ready once this is there. */
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
    const prepared = linuxStep(context, "prepare-host", {
      values: [machine.name, String(seconds.boot)],
      seconds: 2 * seconds.boot,
      dependsOn: [copyLinuxSteps(context, seconds.boot)],
    });
    const installed = linuxStep(context, "install-programs", {
      values: [remoteArchive, programs.sha256],
      seconds: seconds.install,
      dependsOn: [prepared.command, pushPrograms(context, programs, prepared)],
    });
    const joined = this.join(context, args, installed);
    const node = nodeObject(
      name,
      machine,
      controlPlane,
      {
        labels,
        taints,
        versions: { kubernetes: programs.kubernetesVersion, programs: programs.sha256 },
        readySeconds: seconds.ready,
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

  private join(context: LinuxStepContext, args: LinuxNodeArgs, installed: LinuxStep): LinuxStep {
    const { machine, controlPlane, token, labels = {}, taints = [] } = args;
    const { caCertHash, endpoint, hostsEntries } = controlPlane;
    return linuxStep(context, "join-node", {
      values: pulumi
        .all([caCertHash, hostsEntries, args.nodeIp ?? machine.address])
        .apply(([hash, entries, nodeIp]) => [
          hash,
          entries.map(({ address, name }) => `${address}=${name}`).join(";"),
          kubeletArguments({ ...args.kubeletArgs, "node-ip": nodeIp }),
          String(seconds.join),
        ]),
      stdin: pulumi.secret(
        pulumi.all([token, caCertHash, endpoint]).apply(([value, hash, server]) =>
          machineJoinConfig({
            name: machine.name,
            endpoint: server,
            caCertHash: hash,
            token: value,
            nodeLabels: renderLabels(labels),
            taints,
            waitSeconds: seconds.join,
          }),
        ),
      ),
      // Besides the join: a reset of what an earlier one left.
      seconds: seconds.join + 420,
      undo: "reset-node",
      dependsOn: [installed.command, controlPlane.resource],
    });
  }
}

/**
 * The kubelet's own arguments, in the order of their names. kind's configuration of all kubelets has them live in a
 * cgroup that kind makes in its containers; here all pods are below the root, as everywhere else.
 */
export function kubeletArguments(args: Readonly<Record<string, string>>): string {
  return Object.entries({ ...args, "cgroup-root": "/" })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `--${name}=${value}`)
    .join(" ");
}

/** Copies the archive from this host to a machine; the step that unpacks it checks it there. */
function pushPrograms(
  { name, machine, parent }: LinuxStepContext,
  { path, sha256 }: LinuxPrograms,
  prepared: LinuxStep,
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
      limitSeconds: seconds.push,
    },
    { parent, dependsOn: [prepared.command] },
  );
}
