import { isLabPrefix } from "./lab-thing.ts";
import type { Finder } from "./lab-thing.ts";
import { lines, uuidOf, virsh } from "./host.ts";

/** libvirt's networks of a lab; bridge, DHCP server and firewall rules go with them. */
export const libvirtNetworks: Finder = {
  kind: "libvirt network",

  find: async (host) => {
    const names = lines(await virsh(host, "net-list", "--all", "--name")).filter(isLabPrefix);
    const found = await Promise.all(
      names.map(async (name) => {
        const uuid = await uuidOf(host, "net", name);
        return uuid === undefined
          ? []
          : [{ kind: libvirtNetworks.kind, name, lab: name, identity: `libvirt network ${uuid}` }];
      }),
    );
    return found.flat();
  },

  remove: async ({ name }, host) => {
    await virsh(host, "net-destroy", name).catch(() => undefined); // Fails when it does not run.
    await virsh(host, "net-undefine", name).catch(async (error: unknown) => {
      if (lines(await virsh(host, "net-list", "--all", "--name")).includes(name)) {
        throw error;
      }
    });
  },
};
