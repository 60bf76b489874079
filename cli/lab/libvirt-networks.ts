import { isLabPrefix } from "./lab-thing.ts";
import type { Finder } from "./lab-thing.ts";
import { lines, virsh } from "./host.ts";

/** libvirt's networks of a lab; bridge, DHCP server and firewall rules go with them. */
export const libvirtNetworks: Finder = {
  kind: "libvirt network",

  find: async (host) => {
    const names = lines(await virsh(host, "net-list", "--all", "--name")).filter(isLabPrefix);
    return Promise.all(
      names.map(async (name) => ({
        kind: libvirtNetworks.kind,
        name,
        lab: name,
        identity: `libvirt network ${(await virsh(host, "net-uuid", name))?.trim()}`,
      })),
    );
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
