import type { V1NodeList } from "@kubernetes/client-node";

import { give } from "../../components/image-archives/give-images.ts";
import { importImage, importLimit } from "../../components/windows/steps.ts";
import { firstLineOf } from "../../host/failure.ts";
import { shellWord } from "../../host/shell-word.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { runOverSsh, type SshSource } from "../../host/ssh/run-over-ssh.ts";
import type { NodeMachine } from "../lab/lab-state.ts";
import { copyToMachine, runOnWindowsNode } from "../lab/on-machine.ts";
import { say } from "../progress.ts";
import type { Load, LoadNode } from "./load-plan.ts";
import { type LabOutputs, machineSource } from "../lab/lab-outputs.ts";

/** What nodes take: an archive, and the images in it. */
type Taken = Pick<Load<LoadNode>, "archive" | "images">;

/** A node of a lab, and how its machine takes images; undefined for a container, which takes them with all others. */
interface TakingNode extends LoadNode {
  readonly take?: ((load: Taken) => Promise<void>) | undefined;
}

/**
 * Gives an archive to nodes, side by side. It is read once for all containers.
 *
 * @param ended is called for each node, with the reason if it did not take the images.
 */
export async function giveTo(
  nodes: readonly TakingNode[],
  load: Taken,
  ended: (node: string, reason?: string) => void,
): Promise<void> {
  const containers = nodes.filter(({ take }) => take === undefined).map(({ name }) => name);
  await Promise.all([
    ...(containers.length === 0 ? [] : [toContainers(containers, load, ended)]),
    ...nodes.flatMap(({ name, take }) =>
      take === undefined
        ? []
        : [
            take(load).then(
              () => ended(name),
              (error: unknown) => ended(name, firstLineOf(error)),
            ),
          ],
    ),
  ]);
}

async function toContainers(
  names: readonly string[],
  { archive }: Taken,
  ended: (node: string, reason?: string) => void,
): Promise<void> {
  try {
    const failed = await give(names, archive);
    for (const name of names) ended(name, failed.find(({ node }) => node === name)?.reason);
  } catch (error) {
    for (const name of names) ended(name, firstLineOf(error));
  }
}

/** Time limit of an import on an emulated processor, in seconds. */
const importSeconds = 2400;

/**
 * The nodes of a lab that are in the cluster: those in containers, Linux machines and Windows machines.
 *
 * @param windows how the Windows machines are reached.
 */
export async function takingNodes(
  { kubeconfig, controlPlane, nodes, sshPrivateKey }: LabOutputs,
  windows: readonly (SshSource & Pick<NodeMachine, "node">)[],
): Promise<readonly TakingNode[]> {
  const { items } = await new ClusterApi(kubeconfig).get<V1NodeList>("/api/v1/nodes");
  return items.flatMap(({ metadata, status }): TakingNode[] => {
    const [name, info] = [metadata?.name, status?.nodeInfo];
    if (name === undefined || info === undefined) return [];
    const { operatingSystem: os, architecture, kernelVersion } = info;
    const platform = { os, architecture, ...(os === "windows" && { osVersion: kernelVersion }) };
    if (controlPlane.nodeNames.includes(name)) return [{ name, platform }];
    const take = takeOf(name);
    return take === undefined ? [] : [{ name, platform, take }];
  });

  function takeOf(name: string): TakingNode["take"] {
    const machine = windows.find(({ node }) => node === name);
    if (machine !== undefined) return (load) => toWindows(name, machine, load);
    const linux = nodes.find((node) => node.name === name && node.os === "linux");
    return linux && ((load) => toLinux(name, machineSource(linux, { sshPrivateKey }), load));
  }
}

async function toLinux(name: string, source: SshSource, { archive }: Taken): Promise<void> {
  const remote = `/var/lib/kindows-load-${archive.sha256.slice(0, 12)}.tar`;
  await copyToMachine(name, source, archive.path, remote);
  const file = shellWord(remote);
  await runOverSsh(
    source,
    `ctr --namespace k8s.io images import ${file} >/dev/null; code=$?; rm -f ${file}; exit $code`,
    importSeconds,
  );
}

async function toWindows(
  name: string,
  source: SshSource,
  { archive, images }: Taken,
): Promise<void> {
  const file = `load-${archive.sha256.slice(0, 12)}.tar`;
  await copyToMachine(name, source, archive.path, `C:/kindows/${file}`);
  say(`${name}: containerd imports ${archive.source}`);
  await runOnWindowsNode(name, source, importImage, {
    ...{ Archive: `C:\\kindows\\${file}`, Sha256: archive.sha256, Images: images.join(",") },
    ...importLimit,
  });
}
