import * as pulumi from "@pulumi/pulumi";
import type { Facts } from "../facts.ts";
import { isPackage } from "../own-files.ts";
import { type JoiningMachine, withDefaults } from "../node/joining-machine.ts";
import { nodeObject } from "../node/node-object.ts";
import { defaultRequirements, type HostRequirements } from "./host-requirements.ts";
import { defaultSetup, type NodeSetup } from "./node-setup.ts";
import {
  defaultTimeouts,
  type ClusterRoute,
  type JoiningNode,
  type NodeStep,
  type NodeTimeouts,
} from "./node-step.ts";
import { runSteps } from "./run-steps.ts";
import { unpinned, unpinnedMessage, type ProgramName, type WindowsSoftware } from "./software.ts";
import { textFact, type StepResult } from "../node/step-result.ts";
import { installContainerd, installKubernetes, joinNode, testWindowsHost } from "./steps.ts";
import { copySteps } from "./steps-copy.ts";
import { remoteFolderOf, stepFolders } from "./step-folders.ts";
import { stepsSource } from "../node/steps-folder.ts";

/** `machine` is a Windows machine with an SSH server. It may still be booting. */
export interface WindowsNodeArgs extends JoiningMachine {
  /** The programs to install, and their origins. */
  readonly software: WindowsSoftware;
  /**
   * Routes to the cluster's ranges, for a node without a pod network. Default: none; routes of an earlier run are
   * removed.
   */
  readonly routes?: pulumi.Input<readonly ClusterRoute[]>;
  /** Address and port at which the machine finds the lab's registry. Default: it has none. */
  readonly registry?: pulumi.Input<string> | undefined;
  /** Requirements of the machine. Default: `defaultRequirements`. */
  readonly requirements?: HostRequirements;
  /** Mirrors, proxy etc. Default: `defaultSetup`. */
  readonly setup?: NodeSetup;
  /** Time limits. Default: `defaultTimeouts`. */
  readonly timeouts?: NodeTimeouts;
}

/**
 * Turns a Windows machine into a node of a cluster, from a fresh Windows Server to Ready. Preparing (checks, the
 * Containers feature with its reboot, containerd, Kubernetes) only needs the machine, so it runs while the control
 * plane is created. The hosts entry and the join wait for both. Removing the component drains and deletes the Node, and
 * resets the machine if the machine stays. Other versions of containerd and kubelet are installed in place; the node is
 * drained before and uncordoned afterwards.
 *
 * Not responsible for the machine, the pod network, kube-proxy or the token.
 *
 * @throws pulumi.ResourceError for a machine that does not run Windows, and outside previews for software without a
 * checksum.
 */
export class WindowsNode extends pulumi.ComponentResource {
  /** Name of the joined node. */
  readonly nodeName: pulumi.Output<string>;
  /** Build and revision of the machine's Windows, e.g. `10.0.20348.4405`. */
  readonly windowsBuild: pulumi.Output<string>;
  /** Version of kubelet, without a leading `v`. */
  readonly kubernetesVersion: pulumi.Output<string>;
  /** Version of containerd, without a leading `v`. */
  readonly containerdVersion: pulumi.Output<string>;
  /** For `dependsOn`: the node is in the cluster, Ready or not. Depending on the component waits until it is Ready. */
  readonly registered: pulumi.Resource;
  /** For `dependsOn`: the node is Ready. */
  readonly resource: pulumi.Resource;
  /** The public part of the token that the node joined with, so another join changes it. */
  readonly joinId: pulumi.Output<string>;

  constructor(name: string, args: WindowsNodeArgs, opts?: pulumi.ComponentResourceOptions) {
    const { machine, software, podNetwork } = args;
    const folders = stepFolders(stepsSource);
    const facts: Facts<"kindows:windows:WindowsNode"> = {
      node: machine.name,
      checkFolder: remoteFolderOf(folders, testWindowsHost),
    };
    super("kindows:windows:WindowsNode", name, { facts }, opts);
    if (machine.os !== "windows") {
      throw new pulumi.ResourceError(
        `${machine.name} is a ${machine.os} machine: a WindowsNode needs one with os "windows"`,
        this,
      );
    }
    const timeouts = args.timeouts ?? defaultTimeouts;
    const joining: JoiningNode = {
      ...withDefaults(args),
      software,
      timeouts,
      requirements: args.requirements ?? defaultRequirements,
      setup: args.setup ?? defaultSetup,
      routes: args.routes && pulumi.output(args.routes),
      registry: args.registry === undefined ? undefined : pulumi.output(args.registry),
      checksums: checksums(machine.name, software, this),
    };
    const context = { name, machine, parent: this };
    const steps = runSteps(context, joining, copySteps(context, folders, timeouts.bootSeconds));
    const joined = steps.of(joinNode);
    const node = nodeObject(name, joining, {
      versions: { ...software.versions },
      programs: joining
        .checksums("kubelet", "kubeadm", "kubeProxy", "containerd")
        .apply((known): Record<string, string> => ({ ...known })),
      readySeconds: timeouts.readySeconds,
      awaitsReady: args.awaitsReady,
      needs: [
        ...(podNetwork === undefined ? [] : [podNetwork]),
        // Steps after the join run while kubelet becomes Ready.
        ...(steps.last === joined.command ? [] : [steps.last]),
      ],
      parent: this,
      dependsOn: [joined.command],
    });
    this.registered = node.registered;
    this.joinId = node.joinId;
    this.resource = node.ready;

    this.nodeName = joined.result.apply((result) => textFact(result, "nodeName"));
    this.windowsBuild = steps.of(testWindowsHost).result.apply(async (result) => {
      for (const warning of hostWarnings(machine.name, result, new Date())) {
        await pulumi.log.warn(warning, this);
      }
      return `${textFact(result, "build")}.${String(result.facts["revision"])}`;
    });
    const versionOf = (step: NodeStep) =>
      steps.of(step).result.apply((known) => textFact(known, "version"));
    this.kubernetesVersion = versionOf(installKubernetes);
    this.containerdVersion = versionOf(installContainerd);
    this.registerOutputs({
      nodeName: this.nodeName,
      windowsBuild: this.windowsBuild,
      kubernetesVersion: this.kubernetesVersion,
      containerdVersion: this.containerdVersion,
    });
  }
}

/**
 * Checksums of a machine's software, as inputs of its steps.
 *
 * A checksum that is not pinned yet is unknown in a preview, which continues with a warning. `pulumi up` fails before
 * anything is created.
 *
 * @throws pulumi.ResourceError outside previews, if a checksum is missing.
 */
function checksums(
  host: string,
  software: WindowsSoftware,
  parent: pulumi.Resource,
): JoiningNode["checksums"] {
  const missing = unpinned(software);
  const message = `${host}: ${unpinnedMessage(missing)}`;
  if (missing.length > 0 && !pulumi.runtime.isDryRun()) {
    throw new pulumi.ResourceError(message, parent);
  }
  // In a clone of the repository, `pulumi up` first builds a missing image, which pins its checksums.
  const willFail = missing.some(({ origin }) => isPackage || origin !== "image");
  const warned = willFail
    ? pulumi.log.warn(`\`pulumi up\` will fail. ${message}`, parent)
    : Promise.resolve();
  const unknown = warned.then(() => pulumi.unknown as unknown as string);
  const checksum = (name: ProgramName): pulumi.Input<string> => {
    const artifact = software[name];
    return artifact === undefined ? "" : (artifact.sha256 ?? unknown);
  };
  return <Name extends ProgramName>(...names: readonly Name[]) =>
    pulumi.output(
      Object.fromEntries(names.map((name) => [name, checksum(name)])),
    ) as unknown as pulumi.Output<Readonly<Record<Name, string>>>;
}

/** Days before the end of an evaluation licence from which on there is a warning, in time to build a new image. */
const warningDays = 14;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Warnings about a machine from the result of Test-WindowsHost, which may be an old one. So the days left until the
 * licence ends are counted from now.
 *
 * @param host computer name.
 */
export function hostWarnings(host: string, result: StepResult, now: Date): string[] {
  const { evaluationEnds, rebootPending, switchOverride } = result.facts;
  const warnings: string[] = [];
  if (typeof evaluationEnds === "string" && evaluationEnds !== "") {
    const days = Math.floor((Date.parse(evaluationEnds) - now.getTime()) / dayMilliseconds);
    const ends = days < 0 ? `ended on ${evaluationEnds}` : `ends in ${days} days`;
    if (days <= warningDays) {
      warnings.push(
        `${host}: the evaluation licence of its Windows ${ends}: then Windows shuts down every hour. ` +
          "Extend it on the machine (`slmgr /rearm`, a reboot), or make a new image",
      );
    }
  }
  if (typeof switchOverride === "string" && switchOverride !== "") {
    warnings.push(
      `${host}: Windows lacks a registry value without which packets between pods may get lost: ${switchOverride} ` +
        "(DWord; docs/windows-traps.md). Set it and reboot the machine, unless its updates are recent",
    );
  }
  if (typeof rebootPending === "string" && rebootPending !== "") {
    warnings.push(
      `${host}: Windows was waiting for a reboot when it was checked (${rebootPending}); ` +
        "installing the feature Containers reboots it, or reboot it by hand",
    );
  }
  return warnings;
}
