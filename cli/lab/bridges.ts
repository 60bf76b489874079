import * as z from "zod";

import { defaultBridge, labNames } from "../../config/names.ts";
import type { Finder, LabThing } from "./lab-thing.ts";
import type { Host } from "./host.ts";
import { lines } from "./host.ts";

const linksSchema = z.array(z.object({ ifname: z.string().optional() }));

/**
 * Bridges left without a network: libvirt or Docker died between making one and writing it down.
 *
 * Only the name a lab has by default is taken for its own. A bridge the settings name otherwise might be somebody
 * else's; it goes with the libvirt network it belongs to.
 */
export const bridges: Finder = {
  kind: "bridge",

  find: async (host) =>
    (await bridgeNames(host)).flatMap((name): LabThing[] => {
      const lab = /^kw-(.+)$/.exec(name)?.[1];
      return lab !== undefined && defaultBridge(lab) === name
        ? [{ kind: bridges.kind, name, lab: labNames(lab).prefix, identity: `bridge ${name}` }]
        : [];
    }),

  remove: async ({ name }, host) => {
    if (!(await bridgeNames(host)).includes(name)) {
      return; // It went with its network.
    }
    const ports = lines(await host.run("ip", ["-o", "link", "show", "master", name]));
    if (ports.length > 0) {
      throw new Error(`the bridge ${name} still has ${ports.length} port(s): ${ports.join("; ")}`);
    }
    await host.run("ip", ["link", "delete", name, "type", "bridge"]);
  },
};

async function bridgeNames(host: Host): Promise<readonly string[]> {
  const listed = await host.run("ip", ["-j", "link", "show", "type", "bridge"]);
  const links = linksSchema.parse(
    JSON.parse(listed === undefined || listed === "" ? "[]" : listed),
  );
  return links.flatMap((link) => link.ifname ?? []); // Some versions list an empty object per other link.
}
