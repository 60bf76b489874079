import { lines, type Host, unlessGone } from "../../../host/host.ts";
import { virsh, virshText } from "../../../host/virsh.ts";
import { below, readXml } from "../../../host/read-xml.ts";
import { markOf, markOfUuid } from "./lab-mark.ts";
import { isLabPrefix, type ResourceKind } from "../../host-resource.ts";

/** Prefix of virsh's commands for pools or networks. */
type CommandPrefix = "pool" | "net";

/** libvirt's pools or networks by name, each with `active` or `inactive`. */
export async function statesOf(
  host: Host,
  command: CommandPrefix,
): Promise<ReadonlyMap<string, string>> {
  const rows = lines(await virsh(host, `${command}-list`, "--all")).map((line) =>
    line.split(/\s+/),
  );
  return new Map(rows.map(([name = "", state = ""]) => [name, state]));
}

/**
 * Lab of a pool or network: both `kindows-a` and, on the hypervisor b, `kindows-a.b` belong to the lab `kindows-a`.
 */
export function labOf(name: string): string | undefined {
  const lab = name.replace(/\.[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "");
  return isLabPrefix(lab) ? lab : undefined;
}

/** The kind of host resource for labs' pools or networks. */
export function libvirtKind(command: CommandPrefix, kind: string): ResourceKind {
  const unlessGoneFrom = (host: Host, name: string) =>
    unlessGone(name, async () => [...(await statesOf(host, command)).keys()]);
  const element = command === "pool" ? "pool" : "network";
  return {
    kind,

    find: async (host) => {
      const found = await Promise.all(
        [...(await statesOf(host, command))].map(async ([name, state]) => {
          const lab = labOf(name);
          if (lab === undefined) return [];
          // Another lab's pool or network may be removed at the same time.
          const printed = await virsh(host, `${command}-dumpxml`, "--inactive", name).catch(
            unlessGoneFrom(host, name),
          );
          if (printed === undefined) return [];
          const described = readXml(printed);
          const uuid = below(described, element, "uuid")[0]?.text ?? "";
          const mark = command === "pool" ? markOfUuid(uuid) : markOf(described);
          return [{ kind, name, lab, state, identity: `${kind} ${uuid}`, mark }];
        }),
      );
      return found.flat();
    },

    byHand: ({ name }, host) =>
      virshText(host, [`${command}-destroy ${name}`, `${command}-undefine ${name}`]),

    remove: async ({ name }, host) => {
      await virsh(host, `${command}-destroy`, name).catch(() => undefined); // Fails when it does not run.
      if (command === "pool") {
        await virsh(host, "pool-delete", name).catch(() => undefined); // Fails when the folder is not empty, or gone.
      }
      await virsh(host, `${command}-undefine`, name).catch(unlessGoneFrom(host, name));
    },
  };
}
