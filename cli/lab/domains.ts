import { below, readXml, type XmlElement } from "../../host/read-xml.ts";
import { labOfPoolFile } from "./pool-folder.ts";
import type { Finder } from "./lab-thing.ts";
import { isLabPrefix, labOfPool } from "./lab-thing.ts";
import { lines, virsh } from "./host.ts";

/** Virtual machines of a lab: named after it, and on its network or with a disk in its pool. */
export const domains: Finder = {
  kind: "libvirt domain",

  find: async (host) => {
    const names = lines(await virsh(host, "list", "--all", "--name"));
    const found = await Promise.all(
      names
        .filter((name) => name.startsWith("kindows-"))
        .map(async (name) => {
          const xml = await virsh(host, "dumpxml", "--inactive", name).catch(() => "");
          const described = readXml(xml ?? "");
          const lab = labOfDomain(name, described);
          return lab === undefined
            ? []
            : [
                {
                  kind: domains.kind,
                  name,
                  lab,
                  identity: `libvirt domain ${below(described, "domain", "uuid")[0]?.text}`,
                },
              ];
        }),
    );
    return found.flat();
  },

  remove: async ({ name }, host) => {
    await virsh(host, "destroy", name).catch(() => undefined); // Fails when it does not run.
    await virsh(host, "undefine", name, "--managed-save", "--snapshots-metadata", "--nvram").catch(
      async (error: unknown) => {
        if (lines(await virsh(host, "list", "--all", "--name")).includes(name)) {
          throw error;
        }
      },
    );
  },
};

/**
 * Lab of a domain. Its name alone would not tell `kindows-a-b-win-1` of lab `a-b` from node `b-win-1` of lab `a`: the
 * network it is on, or the folder of its disks, does.
 */
function labOfDomain(name: string, described: XmlElement): string | undefined {
  const devices = below(described, "domain", "devices").flatMap(({ elements }) => elements);
  return devices
    .flatMap((device) => below(device, "source"))
    .map(({ attributes: { file, network, pool } }) =>
      file === undefined ? labOfPool(network ?? pool ?? "") : labOfPoolFile(file),
    )
    .find((lab) => lab !== undefined && isLabPrefix(lab) && name.startsWith(`${lab}-`));
}
