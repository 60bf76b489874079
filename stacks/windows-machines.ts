import type * as libvirt from "@pulumi/libvirt";
import { domainName, labNames } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import { LibvirtMachine } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { MachineStorage } from "../components/machine/machine-storage.ts";
import { SshKey } from "../components/machine/ssh-key.ts";
import { uefiFirmware } from "../components/windows/image/builder/uefi-firmware.ts";
import { isMadeFromIso } from "../components/windows/image/media.ts";
import type { LabNetwork } from "../components/network/lab-network.ts";
import type { MachineImage } from "./machine-image.ts";

/** A lab's Windows machines on libvirt. */
export interface WindowsMachines {
  /** Who may log in to all of them. */
  readonly login: { readonly user: string; readonly key: SshKey };
  /** Makes the machine of one node. */
  make(node: NodeSettings): LibvirtMachine;
}

/** Machines on one segment that share a pool, an image and a login. */
export function windowsMachines(
  settings: Settings,
  image: MachineImage["disk"],
  network: LabNetwork,
  libvirtProvider: libvirt.Provider,
): WindowsMachines {
  const names = labNames(settings.lab.name);
  const storage = new MachineStorage("machines", {
    uri: settings.hypervisor.uri,
    poolName: names.pool,
    poolPath: names.poolFolder,
    image,
    libvirtProvider,
  });
  const login = {
    user: settings.windows.adminUser,
    key: new SshKey("login", { comment: names.prefix }),
  };
  return {
    login,
    make: (node) =>
      new LibvirtMachine(node.name, {
        computerName: node.name,
        os: "windows",
        guest: settings.windows.image.kind === "rehearsal" ? "rehearsal" : "windows",
        domainName: domainName(settings.lab.name, node.name),
        domainType: settings.hypervisor.domainType,
        uefi: startsWithUefi(settings.windows.image) ? uefiFirmware() : undefined,
        cpus: node.cpus,
        memoryMiB: node.memoryMiB,
        diskGiB: node.diskGiB,
        address: node.address,
        mac: macAddress(names.prefix, node.name),
        networkId: network.networkId,
        storage,
        login,
        libvirtProvider,
      }),
  };
}

/** A machine boots as its image was installed; a disk of the user's boots with BIOS. */
function startsWithUefi(image: Settings["windows"]["image"]): boolean {
  return isMadeFromIso(image) && image.firmware === "uefi";
}
