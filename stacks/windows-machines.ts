import type * as libvirt from "@pulumi/libvirt";
import { domainName, labNames } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import { LibvirtMachine } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { SshKey } from "../components/machine/ssh-key.ts";
import { uefiFirmware } from "../components/windows/image/builder/uefi-firmware.ts";
import { isMadeFromIso } from "../components/windows/image/media.ts";
import { defaultTimeouts } from "../components/windows/node-step.ts";
import type { LabNetwork } from "../components/network/lab-network.ts";
import { hyperVMakers } from "./hyper-v-hosts.ts";
import { machineHosts, type MachineHost } from "./hypervisors.ts";
import type { MachineImage } from "./machine-image.ts";
import type { PinnedMachine } from "./told-node.ts";

/** A lab's Windows machines, on libvirt or Hyper-V. */
export interface WindowsMachines {
  /** Who may log in to all of them. */
  readonly login: { readonly user: string; readonly key: SshKey };
  /** A hypervisor they run on. */
  host(name: string): MachineHost;
  /** Makes the machine of one node, on the hypervisor it is placed on. */
  make(node: NodeSettings): PinnedMachine;
}

/**
 * Machines on one segment that share an image and a login, and on each libvirt a pool.
 *
 * @param nodes those that are made.
 */
export function windowsMachines(
  settings: Settings,
  nodes: readonly NodeSettings[],
  image: MachineImage["disk"],
  network: LabNetwork,
  libvirtProvider: libvirt.Provider,
): WindowsMachines {
  const names = labNames(settings.lab.name);
  const hosts = machineHosts({ settings, image, network, libvirtProvider }, nodes);
  const login = {
    user: settings.windows.adminUser,
    key: new SshKey("login", { comment: names.prefix }),
  };
  const hostOf = (name: string): MachineHost => hosts.get(name) ?? unknownHypervisor(name);
  const onHyperV = hyperVMakers({ settings, network, login }, nodes);
  const make = (node: NodeSettings): PinnedMachine => {
    const makeOnHyperV = onHyperV.get(node.hypervisor);
    if (makeOnHyperV !== undefined) {
      return makeOnHyperV(node);
    }
    const host = hostOf(node.hypervisor);
    return new LibvirtMachine(node.name, {
      computerName: node.name,
      os: "windows",
      guest: settings.windows.image.kind === "rehearsal" ? "rehearsal" : "windows",
      domainName: domainName(settings.lab.name, node.name),
      domainType: host.domainType,
      uefi: startsWithUefi(settings.windows.image) ? uefiFirmware() : undefined,
      cpus: node.cpus,
      memoryMiB: node.memoryMiB,
      diskGiB: node.diskGiB,
      address: node.address,
      mac: macAddress(names.prefix, node.name),
      segment: host.segment(node),
      storage: host.storage,
      login,
      bootSeconds: defaultTimeouts.bootSeconds,
      libvirtProvider: host.libvirtProvider,
    });
  };
  return { login, host: hostOf, make };
}

/** @throws always: settings that were checked name hypervisors that there are. */
function unknownHypervisor(name: string): never {
  throw new Error(`nothing is known of the hypervisor ${name}`);
}

/** A machine boots as its image was installed; a disk of the user's boots with BIOS. */
function startsWithUefi(image: Settings["windows"]["image"]): boolean {
  return isMadeFromIso(image) && image.firmware === "uefi";
}
