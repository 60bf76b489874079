import * as pulumi from "@pulumi/pulumi";
import { netConf } from "../cni/flannel/flannel-config.ts";
import { windowsCniConf } from "../cni/flannel/windows-files.ts";
import { checksums } from "./checksum.ts";
import { mediumPath } from "./media-folder.ts";
import type { FlannelSetup } from "./node-setup.ts";
import type { PushedMedia } from "./push-media.ts";
import { fileNameOf, type Medium, type WindowsSoftware } from "./software.ts";
import type { StepArguments } from "./step-parameters.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

/** Flannel's files with what they are checked by. */
interface FlannelMedia {
  readonly daemon: Medium;
  readonly plugin: Medium;
  readonly cniPlugins: Medium;
}

/**
 * Flannel as a service of a machine, installed and not started: that comes when the node has joined.
 *
 * @param nodeIp IPv4 address the node registers with.
 * @throws pulumi.ResourceError for software without Flannel.
 */
export function installFlannel(
  context: StepContext,
  software: WindowsSoftware,
  { network }: FlannelSetup,
  nodeIp: pulumi.Input<string>,
  after: WindowsStep,
  pushed: PushedMedia,
): WindowsStep {
  const media = flannelMedia(software, context);
  const checksum = checksums(context.machine.name, software, context.parent);
  return windowsStep(context, "Install-Flannel", {
    values: pulumi
      .output({
        nodeIp,
        daemon: checksum(media.daemon),
        plugin: checksum(media.plugin),
        cniPlugins: checksum(media.cniPlugins),
      })
      .apply((known): StepArguments<"Install-Flannel"> => ({
        NodeName: context.machine.name,
        NodeIp: known.nodeIp,
        NetConf: fileText(netConf(network.podCidr, network.backend)),
        CniConf: fileText(windowsCniConf(network, known.nodeIp)),
        DaemonPath: mediumPath(known.daemon, fileNameOf(media.daemon)),
        DaemonSha256: known.daemon,
        PluginPath: mediumPath(known.plugin, fileNameOf(media.plugin)),
        PluginSha256: known.plugin,
        CniPluginsPath: mediumPath(known.cniPlugins, fileNameOf(media.cniPlugins)),
        CniPluginsSha256: known.cniPlugins,
      })),
    dependsOn: [
      after.command,
      ...[pushed.flannel, pushed.flannelPlugin, pushed.cniPlugins].filter(
        (push) => push !== undefined,
      ),
    ],
  });
}

/** A file as the step takes it. */
function fileText(content: object): string {
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`).toString("base64");
}

function flannelMedia(software: WindowsSoftware, { machine, parent }: StepContext): FlannelMedia {
  const { flannel, flannelPlugin, cniPlugins } = software;
  if (flannel === undefined || flannelPlugin === undefined || cniPlugins === undefined) {
    throw new pulumi.ResourceError(
      `${machine.name}: Flannel is to be installed, and its programs are not among the software`,
      parent,
    );
  }
  return { daemon: flannel, plugin: flannelPlugin, cniPlugins };
}
