import type * as pulumi from "@pulumi/pulumi";
import { locatedLinuxImage } from "../components/linux/cloud-image/located.ts";
import { thisHypervisor } from "../config/sections/hypervisors.ts";
import { domainName, labNames } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import { LinuxNode } from "../components/linux/linux-node.ts";
import { linuxBootSeconds, type LinuxPrograms } from "../components/linux/steps.ts";
import { LibvirtMachine } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { MachineStorage, type GoldenImage } from "../components/machine/machine-storage.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";
import type { MachineHost } from "./hypervisors.ts";
import { nodeToken } from "./node-token.ts";
import type { WindowsMachines } from "./windows-machines.ts";

/** Who logs in to a Linux machine; its identity disk lets it. */
export const linuxUser = "root";

/** What a Linux machine joins, and what it is made beside. */
export interface LinuxSurroundings {
  readonly machines: WindowsMachines;
  readonly controlPlane: ControlPlane;
  readonly podNetwork: pulumi.Resource | undefined;
}

/** A Linux node and its machine. */
export interface JoinedLinuxNode {
  readonly node: NodeSettings;
  readonly machine: LibvirtMachine;
  readonly joined: LinuxNode;
}

/**
 * A lab's Linux machines, each joined; they share the segment and the login's key, and on each libvirt the pool.
 *
 * @param nodes those that are made.
 */
export function linuxMachines(
  settings: Settings,
  nodes: readonly NodeSettings[],
  { machines, controlPlane, podNetwork }: LinuxSurroundings,
): readonly JoinedLinuxNode[] {
  if (nodes.length === 0) return [];
  const names = labNames(settings.lab.name);
  const { tokenTtlMinutes } = settings.cluster;
  const media = linuxMedia(settings);
  const storages = new Map(
    [...new Set(nodes.map(({ hypervisor }) => hypervisor))].map((name) => [
      name,
      imageBeside(machines.host(name), name, media.image),
    ]),
  );
  return nodes.map((node) => {
    const host = machines.host(node.hypervisor);
    const storage = storages.get(node.hypervisor) ?? host.storage;
    const machine = new LibvirtMachine(node.name, {
      computerName: node.name,
      os: "linux",
      guest: "linux",
      domainName: domainName(settings.lab.name, node.name),
      domainType: host.domainType,
      cpus: node.cpus,
      memoryMiB: node.memoryMiB,
      diskGiB: node.diskGiB,
      address: node.address,
      mac: macAddress(names.prefix, node.name),
      segment: host.segment(node),
      storage,
      login: { user: linuxUser, key: machines.login.key },
      bootSeconds: linuxBootSeconds,
      libvirtProvider: host.libvirtProvider,
    });
    const joined = new LinuxNode(node.name, {
      machine,
      controlPlane,
      ...(podNetwork && { podNetwork }),
      token: nodeToken(node.name, machine, { controlPlane, tokenTtlMinutes }),
      programs: media.programs,
      labels: node.labels,
      taints: node.taints,
      kubeletArgs: node.kubeletArgs,
      nodeIp: node.nodeIp,
    });
    return { node, machine, joined };
  });
}

/** The Linux machines' image in the pool that a hypervisor has for the lab. */
function imageBeside(
  { place, storage, libvirtProvider }: MachineHost,
  hypervisor: string,
  image: GoldenImage,
): MachineStorage {
  const name = hypervisor === thisHypervisor ? "linux-machines" : `linux-machines-${hypervisor}`;
  return new MachineStorage(name, {
    ...place,
    image,
    // The pool's name first: by that a run sees that it is there (cli/lab/volumes.ts).
    within: { storage, imagePrefix: `${place.poolName}-linux` },
    libvirtProvider,
  });
}

/** The disk Linux machines start from, and what is installed on them; `kindows prepare` sees to both. */
interface LinuxMedia {
  readonly image: GoldenImage;
  readonly programs: LinuxPrograms;
}

/** A preview works without, on a machine that has built nothing; whether they are there is asked by the preflight. */
function linuxMedia({ linux }: Pick<Settings, "linux">): LinuxMedia {
  const image = locatedLinuxImage(linux.image);
  const { linuxPrograms } = builtSoFar();
  return {
    image: typeof image === "object" ? image : { path: "image-not-made-yet", hash: "not-made-yet" },
    programs: {
      path: linuxPrograms?.path,
      sha256: linuxPrograms?.sha256 ?? "not-made-yet",
      kubernetesVersion,
    },
  };
}
