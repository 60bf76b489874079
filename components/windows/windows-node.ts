import * as pulumi from "@pulumi/pulumi";
import type { Facts } from "../facts.ts";
import { flannelHnsNetwork } from "../cni/flannel/windows-files.ts";
import { defaultRequirements, type HostRequirements } from "./host-requirements.ts";
import { externalNetwork } from "./external-network.ts";
import { clusterRoutes, type ClusterRoute } from "./cluster-routes.ts";
import { installFlannel } from "./flannel-steps.ts";
import { hostWarnings } from "./host-warnings.ts";
import { joinSteps } from "./join-steps.ts";
import { nodeObject } from "../node/node-object.ts";
import { defaultSetup, type NodeSetup } from "./node-setup.ts";
import type { JoiningMachine } from "../node/joining-machine.ts";
import { prepareSteps } from "./prepare-steps.ts";
import type { WindowsSoftware } from "./software.ts";
import { textFact } from "./step-result.ts";
import { defaultTimeouts, type NodeTimeouts } from "./step-timeouts.ts";
import { remoteFolderOf, stepFolders } from "./step-folders.ts";
import type { StepName } from "./step-parameters.ts";
import { copySteps } from "./steps-copy.ts";
import { stepsSource } from "./steps-folder.ts";
import { drainBeforeUpgrade } from "./upgrade-drain.ts";

/** `machine`: a Windows machine that answers SSH, or will once it has booted. */
export interface WindowsNodeArgs extends JoiningMachine {
  /** What is installed, and where it comes from. */
  readonly software: WindowsSoftware;
  /**
   * Ways to the cluster's ranges, for a node without a pod network. Default: none are asked for, and those of an earlier
   * run are removed.
   */
  readonly routes?: pulumi.Input<readonly ClusterRoute[]>;
  /** What the machine must have. Default: `defaultRequirements`. */
  readonly requirements?: HostRequirements;
  /** Mirrors, proxy and the like. Default: `defaultSetup`. */
  readonly setup?: NodeSetup;
  /** Time limits. Default: `defaultTimeouts`. */
  readonly timeouts?: NodeTimeouts;
}

/**
 * A Windows machine made a node of a cluster, from a fresh Windows Server to Ready.
 *
 * Preparing (checks, the Containers feature with its reboot, containerd, Kubernetes) waits for the machine only, so it
 * goes on while the control plane is made; only the hosts entry and the join wait for both. Removing it drains and
 * deletes the Node, and resets the machine where that stays. Other versions of containerd and kubelet are installed in
 * place, the node drained before and opened to pods again afterwards.
 *
 * Not responsible for the machine, the pod network, kube-proxy or the token.
 *
 * @throws pulumi.ResourceError for a machine that does not run Windows, and outside previews for software without a
 * checksum.
 */
export class WindowsNode extends pulumi.ComponentResource {
  /** Name of the joined node. */
  readonly nodeName: pulumi.Output<string>;
  /** Build and revision of its Windows, e.g. `10.0.20348.4405`. */
  readonly windowsBuild: pulumi.Output<string>;
  /** Version of its kubelet, without a leading `v`. */
  readonly kubernetesVersion: pulumi.Output<string>;
  /** Version of its containerd, without a leading `v`. */
  readonly containerdVersion: pulumi.Output<string>;
  /** For `dependsOn`: the node is in the cluster, Ready or not. Depending on the component waits until it is Ready. */
  readonly registered: pulumi.Resource;
  /** For `dependsOn`: the node is Ready once this is there. */
  readonly resource: pulumi.Resource;

  constructor(name: string, args: WindowsNodeArgs, opts?: pulumi.ComponentResourceOptions) {
    const { machine, controlPlane, software, labels = {}, taints = [] } = args;
    const { versions } = software;
    const folders = stepFolders(stepsSource);
    const facts: Facts<"kindows:windows:WindowsNode"> = {
      node: machine.name,
      checkFolder: remoteFolderOf(folders, "Test-WindowsHost"),
    };
    super("kindows:windows:WindowsNode", name, { facts }, opts);
    if (machine.os !== "windows") {
      throw new pulumi.ResourceError(
        `${machine.name} is a ${machine.os} machine: a WindowsNode needs one with os "windows"`,
        this,
      );
    }
    const timeouts = args.timeouts ?? defaultTimeouts;
    const requirements = args.requirements ?? defaultRequirements;
    const setup = args.setup ?? defaultSetup;
    const scripts = copySteps(name, machine, folders, timeouts, this);
    const folderOf = (step: StepName): string => remoteFolderOf(folders, step);
    const context = { name, machine, folderOf, timeouts, parent: this };

    const drain = drainBeforeUpgrade(name, machine.name, controlPlane.kubeconfig, this);
    const prepared = prepareSteps(context, software, requirements, setup, scripts, drain);
    const nodeIp = args.nodeIp ?? machine.address;
    const flannel = typeof setup.podNetwork === "string" ? undefined : setup.podNetwork;
    const ready =
      flannel === undefined
        ? prepared.last
        : installFlannel(context, software, flannel, nodeIp, prepared.last, prepared.pushed);
    const join = {
      controlPlane,
      token: args.token,
      labels,
      taints,
      kubeletArgs: args.kubeletArgs ?? {},
      nodeIp,
      dnsServers: setup.dnsServers,
    };
    const joined = joinSteps(context, join, ready);
    // Not before: flanneld learns its pods' range from the Node.
    const network =
      flannel && externalNetwork(context, flannelHnsNetwork(flannel.network.backend), joined);
    // Beside the kubelet's way to Ready, which needs none of them.
    const routes = args.routes && clusterRoutes(context, args.routes, network ?? joined);
    const node = nodeObject(
      name,
      machine,
      controlPlane,
      {
        labels,
        taints,
        versions: { ...versions },
        readySeconds: timeouts.readySeconds,
        token: args.token,
        needs: [args.podNetwork, network?.command, routes?.command].filter(
          (each) => each !== undefined,
        ),
      },
      { parent: this, dependsOn: [joined.command] },
    );
    this.registered = node.registered;
    this.resource = node.ready;

    this.nodeName = joined.result.apply((result) => textFact(result, "nodeName"));
    this.windowsBuild = prepared.host.result.apply(async (result) => {
      for (const warning of hostWarnings(machine.name, result, new Date())) {
        await pulumi.log.warn(warning, this);
      }
      return `${textFact(result, "build")}.${String(result.facts["revision"])}`;
    });
    this.kubernetesVersion = prepared.kubernetes.result.apply((result) =>
      textFact(result, "version"),
    );
    this.containerdVersion = prepared.containerd.result.apply((result) =>
      textFact(result, "version"),
    );
    this.registerOutputs({
      nodeName: this.nodeName,
      windowsBuild: this.windowsBuild,
      kubernetesVersion: this.kubernetesVersion,
      containerdVersion: this.containerdVersion,
    });
  }
}
