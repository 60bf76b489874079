import type * as libvirt from "@pulumi/libvirt";
import { linuxBootSeconds } from "../components/linux/steps.ts";
import { LibvirtMachine } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { MachineStorage } from "../components/machine/machine-storage.ts";
import { SshKey } from "../components/machine/ssh-key.ts";
import type { LabNetwork } from "../components/network/lab-network.ts";
import { uefiFirmware } from "../components/windows/image/builder/uefi-firmware.ts";
import { isMadeFromIso } from "../components/windows/image/media.ts";
import { defaultTimeouts } from "../components/windows/node-step.ts";
import { domainName, labNames } from "../config/names.ts";
import { thisHypervisor } from "../config/sections/hypervisors.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import { hyperVMakers } from "./hyper-v-hosts.ts";
import { machineHosts, type MachineHost } from "./hypervisors.ts";
import type { PinnedMachine, StackMachine } from "./joined-node.ts";
import { linuxImage } from "./linux-media.ts";
import type { MachineImage } from "./machine-image.ts";

/** A lab's node and its machine. */
export interface LabMachine extends StackMachine {
  readonly node: NodeSettings;
}

/**
 * Machines on one segment, each on the hypervisor it is placed on; those of one system share an image, and all a login
 * and on each libvirt a pool.
 *
 * @param nodes those whose machines are made.
 * @returns them in the nodes' order, and the key that logs in to all of them.
 */
export function labMachines(
  settings: Settings,
  nodes: readonly NodeSettings[],
  image: MachineImage["disk"],
  network: LabNetwork,
  libvirtProvider: libvirt.Provider,
): { readonly loginKey: SshKey; readonly machines: readonly LabMachine[] } {
  const names = labNames(settings.lab.name);
  const hosts = machineHosts({ settings, image, network, libvirtProvider }, nodes);
  const loginKey = new SshKey("login", { comment: names.prefix });
  // A Linux machine's identity disk lets root in.
  const users = { windows: settings.windows.adminUser, linux: "root" };
  const login = ({ os }: Pick<NodeSettings, "os">) => ({ user: users[os], key: loginKey });
  const onHyperV = hyperVMakers({ settings, network, login: login({ os: "windows" }) }, nodes);
  const linuxStorages = new Map<string, MachineStorage>();
  const linuxStorage = (name: string, host: MachineHost): MachineStorage => {
    const storage = linuxStorages.get(name) ?? linuxImageBeside(settings, name, host);
    linuxStorages.set(name, storage);
    return storage;
  };

  const make = (node: NodeSettings): PinnedMachine => {
    const makeOnHyperV = onHyperV.get(node.hypervisor);
    if (makeOnHyperV !== undefined) {
      return makeOnHyperV(node);
    }
    const host = hosts.get(node.hypervisor) ?? unknownHypervisor(node.hypervisor);
    return new LibvirtMachine(node.name, {
      computerName: node.name,
      ...(node.os === "windows"
        ? { ...windowsSystem(settings), storage: host.storage }
        : { ...linuxSystem, storage: linuxStorage(node.hypervisor, host) }),
      domainName: domainName(settings.lab.name, node.name),
      domainType: host.domainType,
      cpus: node.cpus,
      memoryMiB: node.memoryMiB,
      diskGiB: node.diskGiB,
      address: node.address,
      mac: macAddress(names.prefix, node.name),
      segment: host.segment(node),
      login: login(node),
      libvirtProvider: host.libvirtProvider,
    });
  };
  return {
    loginKey,
    machines: nodes.map((node) => ({ node, machine: make(node), sshUser: users[node.os] })),
  };
}

function windowsSystem({ windows: { image } }: Settings) {
  return {
    os: "windows",
    guest: image.kind === "rehearsal" ? "rehearsal" : "windows",
    // A machine boots as its image was installed; a disk of the user's boots with BIOS.
    uefi: isMadeFromIso(image) && image.firmware === "uefi" ? uefiFirmware() : undefined,
    bootSeconds: defaultTimeouts.bootSeconds,
  } as const;
}

const linuxSystem = { os: "linux", guest: "linux", bootSeconds: linuxBootSeconds } as const;

/** @throws always: settings that were checked name hypervisors that there are. */
function unknownHypervisor(name: string): never {
  throw new Error(`nothing is known of the hypervisor ${name}`);
}

/** The Linux machines' image in the pool that a hypervisor has for the lab. */
function linuxImageBeside(
  settings: Settings,
  hypervisor: string,
  { place, storage, libvirtProvider }: MachineHost,
): MachineStorage {
  const name = hypervisor === thisHypervisor ? "linux-machines" : `linux-machines-${hypervisor}`;
  return new MachineStorage(name, {
    ...place,
    image: linuxImage(settings),
    // The pool's name first: by that a run sees that it is there (cli/lab/volumes.ts).
    within: { storage, imagePrefix: `${place.poolName}-linux` },
    libvirtProvider,
  });
}
