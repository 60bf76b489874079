import type * as libvirt from "@pulumi/libvirt";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import type { MachineMaker, MachinesLab } from "../components/machine/machine-maker.ts";
import { machineMakers } from "../components/machine/machine-makers.ts";
import { SshKey } from "../components/machine/ssh-key.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { StackMachine } from "./joined-node.ts";
import { type LabImages, linuxImage } from "./lab-images.ts";
import type { NodeSettings } from "../config/sections/nodes.ts";

/** Creates the machines of the nodes, each on its hypervisor, and the key that logs in to all of them. */
export async function labMachines(
  settings: Settings,
  nodes: readonly NodeSettings[],
  windowsImage: GoldenImage | undefined,
  labImages: LabImages,
  { network, fabric, labId }: Pick<MachinesLab, "network" | "fabric" | "labId">,
  libvirtProvider: libvirt.Provider,
): Promise<{
  readonly loginKey: SshKey;
  readonly machines: readonly (StackMachine & { readonly node: NodeSettings })[];
}> {
  const makers = await Promise.all(
    Object.values<MachineMaker>(machineMakers).map((maker) => maker.components()),
  );
  const loginKey = new SshKey("login", { comment: labNames(settings.lab.name).prefix });
  // A Linux machine's identity disk allows root to log in.
  const users = { windows: settings.windows.adminUser, linux: "root" };
  const lab: MachinesLab = {
    settings,
    network,
    fabric,
    labId,
    libvirtProvider,
    images: { windows: windowsImage, linux: () => linuxImage(settings, labImages) },
    login: (os) => ({ user: users[os], key: loginKey }),
  };
  const hosts = new Map(makers.flatMap(({ machinesOn }) => [...machinesOn(lab, nodes)]));
  return {
    loginKey,
    machines: nodes.map((node) => {
      const make = hosts.get(node.hypervisor);
      // Checked settings only name existing hypervisors.
      if (make === undefined) {
        throw new Error(`there is no hypervisor ${node.hypervisor}`);
      }
      return { node, machine: make(node), sshUser: users[node.os] };
    }),
  };
}
