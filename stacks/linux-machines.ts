import type * as pulumi from "@pulumi/pulumi";
import { thisHypervisor } from "../config/hypervisor-settings.ts";
import { domainName, labNames } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import { LinuxNode } from "../components/linux/linux-node.ts";
import { LibvirtMachine } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { MachineStorage } from "../components/machine/machine-storage.ts";
import { linuxMedia } from "./linux-media.ts";
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

/** A lab's Linux machines on this host's libvirt, each joined; they share the segment, the pool and the login's key. */
export function linuxMachines(
  settings: Settings,
  { machines, controlPlane, podNetwork }: LinuxSurroundings,
): readonly JoinedLinuxNode[] {
  if (settings.linuxNodes.length === 0) return [];
  const names = labNames(settings.lab.name);
  const { tokenTtlMinutes } = settings.cluster;
  const host = machines.host(thisHypervisor);
  const media = linuxMedia(settings);
  const storage = new MachineStorage("linux-machines", {
    uri: settings.hypervisor.uri,
    poolName: names.pool,
    poolPath: names.poolFolder,
    image: media.image,
    // The lab's name first: by that a run sees that it is there (cli/lab/volumes.ts).
    within: { storage: host.storage, imagePrefix: `${names.pool}-linux` },
    libvirtProvider: host.libvirtProvider,
  });
  return settings.linuxNodes.map((node) => {
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
