import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import type { MachinesLab } from "../components/machine/machine-maker.ts";
import { SshKey } from "../components/machine/ssh-key.ts";
import { labNames } from "../config/names.ts";
import type { StackMachine } from "./joined-node.ts";
import type { LabArgs } from "./lab-args.ts";
import { linuxImage } from "./lab-images.ts";
import type { NodeSettings } from "../config/sections/nodes.ts";

/** Creates the machines of the nodes, each on its hypervisor, and the key that logs in to all of them. */
export function labMachines(
  settings: Omit<LabArgs, "archives" | "podNetwork" | "access">,
  windowsImage: GoldenImage | undefined,
  part: Pick<MachinesLab, "network" | "fabric" | "labId" | "libvirtProvider" | "parent">,
): {
  readonly loginKey: SshKey;
  readonly machines: readonly (StackMachine & { readonly node: NodeSettings })[];
} {
  const { present, images, makers } = settings;
  const { parent } = part;
  const loginKey = new SshKey("login", { comment: labNames(settings.lab.name).prefix }, { parent });
  // A Linux machine's identity disk allows root to log in.
  const users = { windows: settings.windows.adminUser, linux: "root" };
  const lab = {
    ...part,
    settings,
    images: { windows: windowsImage, linux: () => linuxImage(settings, images) },
    login: (os: NodeSettings["os"]) => ({ user: users[os], key: loginKey }),
  };
  const hosts = new Map(makers.flatMap(({ machinesOn }) => [...machinesOn(lab, present)]));
  return {
    loginKey,
    machines: present.map((node) => {
      const make = hosts.get(node.hypervisor);
      // Checked settings only name existing hypervisors.
      if (make === undefined) {
        throw new Error(`there is no hypervisor ${node.hypervisor}`);
      }
      return { node, machine: make(node), sshUser: users[node.os] };
    }),
  };
}
