import { readFile } from "node:fs/promises";
import { messageOf } from "../host/failure.ts";
import {
  hypervisorConnections,
  type HypervisorConnection,
} from "../components/machine/libvirt/hypervisor-connections.ts";
import { machineNodes, type Settings } from "../config/settings.ts";
import { privateKey } from "../config/values/private-key.ts";
import { gatherLibvirt, type LibvirtFacts } from "./gather-libvirt.ts";
import type { Gathered } from "./gathered.ts";
import { below, readXml } from "../host/read-xml.ts";
import { virshBatch } from "../host/virsh.ts";

/** A hypervisor on another host, as far as a lab depends on it. */
export interface HypervisorFacts {
  readonly name: string;
  /** Why the key file cannot log in; undefined where it may. */
  readonly keyError?: string;
  readonly libvirt: Gathered<LibvirtFacts & RemoteHostFacts>;
}

/** What is asked of a further hypervisor besides. */
export interface RemoteHostFacts {
  /** Its end of the segment; `unknown` where its libvirt cannot tell of interfaces. */
  readonly bridge: BridgeFacts | "missing" | "unknown";
  /** What could be had without swapping, in MiB; undefined where it is not told. */
  readonly availableMiB?: number;
}

export interface BridgeFacts {
  /** Largest packet; undefined where it is not told. */
  readonly mtu?: number;
}

/** Asks each further hypervisor that nodes are placed on; all at once, every question bounded. */
export function gatherHypervisors(settings: Settings): Promise<HypervisorFacts[]> {
  const used = new Set(machineNodes(settings).map(({ hypervisor }) => hypervisor));
  const connections = hypervisorConnections(settings).filter(({ name }) => used.has(name));
  return Promise.all(
    connections.map(async (connection) => {
      const keyError = await keyErrorOf(connection.privateKeyFile);
      // Without a key everything else would be told as the same failure again.
      const libvirt: HypervisorFacts["libvirt"] =
        keyError === undefined
          ? await gatherRemote(connection)
          : { reachable: false, error: "not asked, for there is no key to log in with" };
      return { name: connection.name, keyError, libvirt };
    }),
  );
}

async function keyErrorOf(file: string): Promise<string | undefined> {
  try {
    return privateKey(await readFile(file, "utf8"), false)?.why;
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`;
  }
}

async function gatherRemote({
  virshUri,
  domainType,
  bridge,
}: HypervisorConnection): Promise<HypervisorFacts["libvirt"]> {
  const libvirt = await gatherLibvirt({ uri: virshUri, domainType });
  if (!libvirt.reachable) {
    return libvirt;
  }
  try {
    const [described, memory] = await Promise.all([
      virshBatch(virshUri, [`iface-dumpxml ${bridge}`]),
      virshBatch(virshUri, ["nodememstats"]),
    ]);
    return {
      ...libvirt,
      bridge: bridgeIn(described),
      availableMiB: availableIn(memory.stdout),
    };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
}

/** What `virsh iface-dumpxml` tells of a bridge; not every libvirt has the driver for it. */
export function bridgeIn({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): RemoteHostFacts["bridge"] {
  const interfaces = below(readXml(stdout), "interface");
  const bridge = interfaces.find(({ attributes }) => attributes["type"] === "bridge");
  if (bridge !== undefined) {
    const mtu = below(bridge, "mtu")[0]?.attributes["size"];
    return { mtu: mtu === undefined ? undefined : Number(mtu) };
  }
  // Another kind of interface of that name is no bridge either.
  return interfaces.length > 0 || /not found|couldn't find interface/i.test(stderr)
    ? "missing"
    : "unknown";
}

/** Free memory and caches of `virsh nodememstats`, in MiB. */
export function availableIn(text: string): number | undefined {
  const kib = ["free", "buffers", "cached"].map(
    (key) => new RegExp(`^${key}\\s*:\\s*(\\d+) KiB`, "m").exec(text)?.[1],
  );
  return kib.some((one) => one === undefined)
    ? undefined
    : Math.floor(kib.reduce((sum, one) => sum + Number(one), 0) / 1024);
}
