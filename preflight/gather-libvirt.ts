import { messageOf } from "../host/failure.ts";
import type { Settings } from "../config/settings.ts";
import type { Gathered } from "./gathered.ts";
import {
  domainsIn,
  networksIn,
  poolsIn,
  type LibvirtDomain,
  type LibvirtNetwork,
  type LibvirtPool,
} from "./libvirt-xml.ts";
import { virshBatch } from "../host/virsh.ts";

/** The libvirt of this host, and what it has that a lab could run into. */
export interface LibvirtFacts {
  readonly version: string;
  /** Why its QEMU can't run machines of the type asked for; undefined when it can. */
  readonly emulatorError?: string;
  readonly networks: readonly LibvirtNetwork[];
  readonly domains: readonly LibvirtDomain[];
  readonly pools: readonly LibvirtPool[];
}

/** Lists of names, and the command that describes one of each. */
const lists = [
  { list: "net-list --all --name", describe: "net-dumpxml" },
  { list: "pool-list --all --name", describe: "pool-dumpxml" },
  { list: "list --all --name", describe: "dumpxml" },
] as const;

/** Asks libvirt, in two goes: what is there, then for the description of each. */
export async function gatherLibvirt({
  uri,
  domainType,
}: Pick<Settings["hypervisor"], "uri" | "domainType">): Promise<Gathered<LibvirtFacts>> {
  try {
    const [version, emulator, ...names] = await Promise.all([
      virshBatch(uri, ["version"]),
      virshBatch(uri, [`domcapabilities --virttype ${domainType}`]),
      ...lists.map(({ list }) => virshBatch(uri, [list])),
    ]);
    const described = await describe(
      uri,
      names.map(({ stdout }) => stdout),
    );
    return {
      reachable: true,
      version: /Using library: libvirt (\S+)/.exec(version.stdout)?.[1] ?? "of unknown version",
      emulatorError: emulator.stdout.includes("<domainCapabilities>")
        ? undefined
        : emulator.stderr
            .trim()
            .split("\n")
            .at(-1)
            ?.replace(/^error: /, ""),
      networks: networksIn(described),
      pools: poolsIn(described),
      domains: domainsIn(described),
    };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
}

/** Descriptions of everything in `named`, one text of names for each of `lists`; what went meanwhile is left out. */
async function describe(uri: string, named: readonly string[]): Promise<string> {
  const commands = lists.flatMap((list, index) =>
    (named[index] ?? "")
      .split("\n")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => `${list.describe} "${name.replace(/["\\]/g, "\\$&")}"`),
  );
  return commands.length === 0 ? "" : (await virshBatch(uri, commands)).stdout;
}
