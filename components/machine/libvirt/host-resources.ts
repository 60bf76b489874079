import { Failure, messageOf } from "../../../host/failure.ts";
import type { Host } from "../../../host/host.ts";
import type { ResourceKind } from "../../host-resource.ts";
import { domains } from "./domains.ts";
import { poolFolders, pools, volumes } from "./storage.ts";

/** What libvirt's machines leave on hosts. */
export const hostResources: readonly ResourceKind[] = [
  ...[domains, volumes, pools].map(onEachHypervisor),
  poolFolders,
];

/**
 * Lists and removes libvirt's resources of one kind on this host and on every other hypervisor of the lab. Two addresses may
 * lead to one libvirt: what is found on this host is not listed again.
 */
export function onEachHypervisor(kind: ResourceKind): ResourceKind {
  return {
    ...kind,

    find: async (host) => {
      const elsewhere = (host.others ?? []).map(async ({ name, uri }) => {
        try {
          const there = await kind.find(hypervisorOf(host, name));
          return there.map((thing) => ({ ...thing, hypervisor: name }));
        } catch (error) {
          throw new Failure(`on the hypervisor ${name} (${uri}): ${messageOf(error)}`);
        }
      });
      const found = (await Promise.all([kind.find(host), ...elsewhere])).flat();
      const keys = found.map(({ name, identity }) => identity ?? name);
      return found.filter((_, at) => keys.indexOf(keys[at] ?? "") === at);
    },

    remove: (thing, host) => kind.remove(thing, hypervisorOf(host, thing.hypervisor)),
  };
}

/** The host for questions to a hypervisor's libvirt. Default: this host's. */
function hypervisorOf(host: Host, hypervisor: string | undefined): Host {
  const other = host.others?.find(({ name }) => name === hypervisor);
  if (hypervisor !== undefined && other === undefined) {
    throw new Failure(`the lab has no hypervisor ${hypervisor}`);
  }
  return other === undefined
    ? host
    : { libvirtUri: other.virshUri, run: (program, args) => host.run(program, args) };
}
