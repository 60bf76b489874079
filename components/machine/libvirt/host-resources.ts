import { Failure, messageOf } from "../../../host/failure.ts";
import type { Host } from "../../../host/host.ts";
import type { ResourceKind } from "../../host-resource.ts";
import { domains } from "./domains.ts";
import { poolFolders, pools, volumes } from "./storage.ts";

/** Kinds of resources that libvirt machines leave on hosts. */
export const hostResources: readonly ResourceKind[] = [
  ...[domains, volumes, pools].map(onEachHypervisor),
  poolFolders,
];

/**
 * Extends a kind of libvirt resources from this host to the lab's other hypervisors. Several addresses can lead to the
 * same libvirt, so a resource is only listed where it is found first.
 */
export function onEachHypervisor(kind: ResourceKind): ResourceKind {
  return {
    ...kind,

    find: async (host) => {
      const elsewhere = (host.others ?? []).map(async ({ name, uri }) => {
        try {
          const resources = await kind.find(hypervisorOf(host, name));
          return resources.map((resource) => ({ ...resource, hypervisor: name }));
        } catch (error) {
          throw new Failure(`on the hypervisor ${name} (${uri}): ${messageOf(error)}`);
        }
      });
      const found = (await Promise.all([kind.find(host), ...elsewhere])).flat();
      const keys = found.map(({ name, identity }) => identity ?? name);
      return found.filter((_, at) => keys.indexOf(keys[at] ?? "") === at);
    },

    remove: (resource, host) => kind.remove(resource, hypervisorOf(host, resource.hypervisor)),

    byHand: (resource, host) => kind.byHand(resource, hypervisorOf(host, resource.hypervisor)),
  };
}

/** A host whose libvirt is that of the hypervisor; without a hypervisor, this host. */
function hypervisorOf(host: Host, hypervisor: string | undefined): Host {
  const other = host.others?.find(({ name }) => name === hypervisor);
  if (hypervisor !== undefined && other === undefined) {
    throw new Failure(`the lab has no hypervisor ${hypervisor}`);
  }
  return other === undefined
    ? host
    : { libvirtUri: other.virshUri, run: (program, args) => host.run(program, args) };
}
