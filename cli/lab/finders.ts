import * as z from "zod";
import { defaultBridge, labNames } from "../../config/names.ts";
import { containers } from "./containers.ts";
import { domains } from "./domains.ts";
import { type Host, lines, uuidOf, virsh } from "./host.ts";
import { type Finder, isLabPrefix, labOfPool, type LabThing } from "./lab-thing.ts";
import { kubeconfigContexts } from "./kubeconfig-contexts.ts";
import { onEachHypervisor } from "./on-each-hypervisor.ts";
import { poolFolders } from "./pool-folders.ts";
import { processes } from "./processes.ts";
import { volumes } from "./volumes.ts";

/** What libvirt has of a kind, by the word for it in virsh's commands. */
function libvirtFinder(
  word: "pool" | "net",
  kind: string,
  labOf: (name: string) => string | undefined,
): Finder {
  const names = async (host: Host): Promise<readonly string[]> =>
    lines(await virsh(host, `${word}-list`, "--all", "--name"));
  return {
    kind,

    find: async (host) => {
      const found = await Promise.all(
        (await names(host)).map(async (name) => {
          const lab = labOf(name);
          const uuid = lab === undefined ? undefined : await uuidOf(host, word, name);
          return lab === undefined || uuid === undefined
            ? []
            : [{ kind, name, lab, identity: `${kind} ${uuid}` }];
        }),
      );
      return found.flat();
    },

    remove: async ({ name }, host) => {
      await virsh(host, `${word}-destroy`, name).catch(() => undefined); // Fails when it does not run.
      if (word === "pool") {
        await virsh(host, "pool-delete", name).catch(() => undefined); // Fails when the folder is not empty, or gone.
      }
      await virsh(host, `${word}-undefine`, name).catch(async (error: unknown) => {
        if ((await names(host)).includes(name)) {
          throw error;
        }
      });
    },
  };
}

/** Storage pools of a lab; their folder goes with them when it is empty. */
export const pools = libvirtFinder("pool", "libvirt pool", labOfPool);

/** libvirt's networks of a lab; bridge, DHCP server and firewall rules go with them. */
export const libvirtNetworks = libvirtFinder("net", "libvirt network", (name) =>
  isLabPrefix(name) ? name : undefined,
);

/** Docker's network on a lab's bridge. */
export const dockerNetworks: Finder = {
  kind: "docker network",

  find: async (host) => {
    const listed = await host.run("docker", [
      ...["network", "ls", "--no-trunc", "--filter", "name=^kindows-"],
      ...["--format", "{{.ID}} {{.Name}}"],
    ]);
    return lines(listed)
      .map((line) => line.split(" "))
      .flatMap(([id = "", name = ""]) =>
        isLabPrefix(name)
          ? [
              {
                kind: dockerNetworks.kind,
                name,
                lab: name,
                identity: `docker network ${id}`,
                place: id,
              },
            ]
          : [],
      );
  },

  remove: async ({ place }, host) => {
    const id = place ?? "";
    await host.run("docker", ["network", "rm", id]).catch(async (error: unknown) => {
      const left = await host.run("docker", ["network", "ls", "--no-trunc", "--quiet"]);
      if (lines(left).includes(id)) {
        throw error;
      }
    });
  },
};

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

/** Every kind of thing a lab leaves on a host, in the order they can be removed: users before what they use. */
export const finders: readonly Finder[] = [
  processes,
  onEachHypervisor(domains),
  onEachHypervisor(volumes),
  onEachHypervisor(pools),
  poolFolders,
  containers,
  dockerNetworks,
  libvirtNetworks,
  bridges,
  kubeconfigContexts,
];

async function bridgeNames(host: Host): Promise<readonly string[]> {
  const listed = await host.run("ip", ["-j", "link", "show", "type", "bridge"]);
  const links = linksSchema.parse(
    JSON.parse(listed === undefined || listed === "" ? "[]" : listed),
  );
  return links.flatMap((link) => link.ifname ?? []); // Some versions list an empty object per other link.
}
