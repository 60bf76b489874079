import { Failure, messageOf } from "../../host/failure.ts";
import type { Host } from "./host.ts";
import type { Finder, LabThing } from "./lab-thing.ts";

/**
 * Finds libvirt's things of one kind on this host and on every other hypervisor of the lab, and removes them there. Two
 * addresses may lead to one libvirt: what is found on this host is not told again.
 */
export function onEachHypervisor(finder: Finder): Finder {
  return {
    kind: finder.kind,

    find: async (host) => {
      const found = await Promise.all([
        finder.find(host),
        ...(host.others ?? []).map(({ name, uri }) => findOn(finder, host, name, uri)),
      ]);
      const seen = new Set<string>();
      return found.flat().filter(({ name, identity }) => {
        const key = identity ?? name;
        const isNew = !seen.has(key);
        seen.add(key);
        return isNew;
      });
    },

    remove: (thing, host) => finder.remove(thing, hypervisorOf(thing, host)),
  };
}

async function findOn(
  finder: Finder,
  host: Host,
  name: string,
  uri: string,
): Promise<readonly LabThing[]> {
  try {
    const things = await finder.find(remoteHost(host, name));
    return things.map((thing) => ({ ...thing, hypervisor: name }));
  } catch (error) {
    throw new Failure(`on the hypervisor ${name} (${uri}): ${messageOf(error)}`);
  }
}

/** The host as seen by those who ask the libvirt of a thing. */
export function hypervisorOf({ hypervisor }: Pick<LabThing, "hypervisor">, host: Host): Host {
  return hypervisor === undefined ? host : remoteHost(host, hypervisor);
}

function remoteHost(host: Host, name: string): Host {
  const other = (host.others ?? []).find((one) => one.name === name);
  if (other === undefined) {
    throw new Failure(`the lab has no hypervisor ${name}`);
  }
  return { libvirtUri: other.virshUri, run: (program, args) => host.run(program, args) };
}
