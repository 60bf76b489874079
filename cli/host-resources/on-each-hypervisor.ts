import { Failure, messageOf } from "../../host/failure.ts";
import type { Host } from "../lab/host.ts";
import type { HostResource, ResourceKind } from "./resource-kind.ts";

/**
 * Lists and removes libvirt's resources of one kind on this host and on every other hypervisor of the lab. Two addresses may
 * lead to one libvirt: what is found on this host is not listed again.
 */
export function onEachHypervisor(kind: ResourceKind): ResourceKind {
  return {
    ...kind,

    find: async (host) => {
      const found = await Promise.all([
        kind.find(host),
        ...(host.others ?? []).map(({ name, uri }) => findOn(kind, host, name, uri)),
      ]);
      const seen = new Set<string>();
      return found.flat().filter(({ name, identity }) => {
        const key = identity ?? name;
        const isNew = !seen.has(key);
        seen.add(key);
        return isNew;
      });
    },

    remove: (thing, host) => kind.remove(thing, hypervisorOf(thing, host)),
  };
}

async function findOn(
  kind: ResourceKind,
  host: Host,
  name: string,
  uri: string,
): Promise<readonly HostResource[]> {
  try {
    const things = await kind.find(remoteHost(host, name));
    return things.map((thing) => ({ ...thing, hypervisor: name }));
  } catch (error) {
    throw new Failure(`on the hypervisor ${name} (${uri}): ${messageOf(error)}`);
  }
}

/** The host for questions to the libvirt that has a resource. */
function hypervisorOf({ hypervisor }: Pick<HostResource, "hypervisor">, host: Host): Host {
  return hypervisor === undefined ? host : remoteHost(host, hypervisor);
}

function remoteHost(host: Host, name: string): Host {
  const other = (host.others ?? []).find((one) => one.name === name);
  if (other === undefined) {
    throw new Failure(`the lab has no hypervisor ${name}`);
  }
  return { libvirtUri: other.virshUri, run: (program, args) => host.run(program, args) };
}
