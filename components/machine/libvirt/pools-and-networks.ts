import { lines, type Host, unlessGone } from "../../../host/host.ts";
import { virsh } from "../../../host/virsh.ts";
import { isLabPrefix, type ResourceKind } from "../../host-resource.ts";

/** Prefix of virsh's commands for pools and for networks. */
type Word = "pool" | "net";

/** libvirt's pools or networks by name, each with `active` or `inactive`. */
export async function statesOf(host: Host, word: Word): Promise<ReadonlyMap<string, string>> {
  const rows = lines(await virsh(host, `${word}-list`, "--all")).map((line) => line.split(/\s+/));
  return new Map(rows.map(([name = "", state = ""]) => [name, state]));
}

/**
 * Lab of a pool or network: `kindows-a`, and `kindows-a.b` for what it has on the hypervisor b, are of the lab `kindows-a`.
 */
export function labOf(name: string): string | undefined {
  const lab = name.replace(/\.[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "");
  return isLabPrefix(lab) ? lab : undefined;
}

/** Labs' pools or networks. */
export function libvirtKind(word: Word, kind: string): ResourceKind {
  const unlessGoneFrom = (host: Host, name: string) =>
    unlessGone(name, async () => [...(await statesOf(host, word)).keys()]);
  return {
    kind,

    find: async (host) => {
      const found = await Promise.all(
        [...(await statesOf(host, word))].map(async ([name, state]) => {
          const lab = labOf(name);
          if (lab === undefined) return [];
          // Another lab's may be removed meanwhile.
          const uuid = await virsh(host, `${word}-uuid`, name).catch(unlessGoneFrom(host, name));
          return uuid === undefined
            ? []
            : [{ kind, name, lab, state, identity: `${kind} ${uuid.trim()}` }];
        }),
      );
      return found.flat();
    },

    remove: async ({ name }, host) => {
      await virsh(host, `${word}-destroy`, name).catch(() => undefined); // Fails when it does not run.
      if (word === "pool") {
        await virsh(host, "pool-delete", name).catch(() => undefined); // Fails when the folder is not empty, or gone.
      }
      await virsh(host, `${word}-undefine`, name).catch(unlessGoneFrom(host, name));
    },
  };
}
