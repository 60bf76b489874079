import { labOfPool } from "./lab-thing.ts";
import type { Finder } from "./lab-thing.ts";
import { lines, uuidOf, virsh } from "./host.ts";

/** Storage pools of a lab; their folder goes with them when it is empty. */
export const pools: Finder = {
  kind: "libvirt pool",

  find: async (host) => {
    const names = lines(await virsh(host, "pool-list", "--all", "--name"));
    const found = await Promise.all(
      names.map(async (name) => {
        const lab = labOfPool(name);
        const uuid = lab === undefined ? undefined : await uuidOf(host, "pool", name);
        return lab === undefined || uuid === undefined
          ? []
          : [{ kind: pools.kind, name, lab, identity: `libvirt pool ${uuid}` }];
      }),
    );
    return found.flat();
  },

  remove: async ({ name }, host) => {
    await virsh(host, "pool-destroy", name).catch(() => undefined); // Fails when it does not run.
    await virsh(host, "pool-delete", name).catch(() => undefined); // Fails when the folder is not empty, or gone.
    await virsh(host, "pool-undefine", name).catch(async (error: unknown) => {
      if (lines(await virsh(host, "pool-list", "--all", "--name")).includes(name)) {
        throw error;
      }
    });
  },
};
