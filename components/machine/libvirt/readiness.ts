import { readFile } from "node:fs/promises";
import type { HostProblem, Gathered } from "../../../config/host-problem.ts";
import { domainName, remotePool } from "../../../config/names.ts";
import { pathText, unless } from "../../../config/problem.ts";
import { privateKey } from "../../../config/values/private-key.ts";
import { messageOf } from "../../../host/failure.ts";
import { below, readXml } from "../../../host/read-xml.ts";
import type { ProgramEnd } from "../../../host/run-program.ts";
import { virshBatch } from "../../../host/virsh.ts";
import { smallPackets } from "../../network/packet-size.ts";
import {
  hypervisorConnections,
  type HypervisorConnection,
  type HypervisorSettings,
} from "./hypervisor-connections.ts";
import type { RemoteHypervisorSettings } from "./settings.ts";
import { gatherLibvirt, type LibvirtFacts } from "./libvirt-facts.ts";
import { type MadeNodes, machineNodes } from "../../../config/sections/nodes.ts";
import { machineOverheadMiB } from "../../../config/sections/machine-host.ts";

interface HypervisorsOfLab extends HypervisorSettings, MadeNodes {
  readonly network: { readonly fabric: string; readonly mtu: number };
}

/** Problems of the hypervisors on other hosts that have nodes. */
export async function hostProblems(settings: HypervisorsOfLab): Promise<HostProblem[]> {
  return checkHypervisors(settings, await gatherHypervisors(settings));
}

/** Facts about a hypervisor on another host. */
export interface HypervisorFacts {
  readonly name: string;
  /** Why the key file cannot be used; undefined if it can. */
  readonly keyError?: string;
  readonly libvirt: Gathered<LibvirtFacts & RemoteHostFacts>;
}

interface RemoteHostFacts {
  /** The bridge, with its MTU if known; `unknown` if its libvirt cannot describe interfaces. */
  readonly bridge: { readonly mtu?: number } | "missing" | "unknown";
  /** Memory in MiB that is available without swapping; undefined if unknown. */
  readonly availableMiB?: number;
}

function gatherHypervisors(settings: HypervisorsOfLab): Promise<HypervisorFacts[]> {
  const used = new Set(machineNodes(settings).map(({ hypervisor }) => hypervisor));
  const connections = hypervisorConnections(settings).filter(({ name }) => used.has(name));
  return Promise.all(
    connections.map(async (connection) => {
      const keyError = await keyErrorOf(connection.privateKeyFile);
      // Without a key, everything else would fail for the same reason.
      const libvirt: HypervisorFacts["libvirt"] =
        keyError === undefined
          ? await gatherRemote(connection)
          : { reachable: false, error: "there is no key to log in with" };
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
  if (!libvirt.reachable) return libvirt;
  try {
    const [described, memory] = await Promise.all([
      virshBatch(virshUri, [`iface-dumpxml ${bridge ?? ""}`]),
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

/** Reads the output of `virsh iface-dumpxml`. Not every libvirt has the driver for it. */
export function bridgeIn({
  stdout,
  stderr,
}: Pick<ProgramEnd, "stdout" | "stderr">): RemoteHostFacts["bridge"] {
  const interfaces = below(readXml(stdout), "interface");
  const bridge = interfaces.find(({ attributes }) => attributes["type"] === "bridge");
  if (bridge !== undefined) {
    const mtu = below(bridge, "mtu")[0]?.attributes["size"];
    return { mtu: mtu === undefined ? undefined : Number(mtu) };
  }
  // An interface of another kind with that name counts as missing.
  return interfaces.length > 0 || /not found|couldn't find interface/i.test(stderr)
    ? "missing"
    : "unknown";
}

/** Free memory, buffers and caches in the output of `virsh nodememstats`, in MiB. */
export function availableIn(text: string): number | undefined {
  const kib = ["free", "buffers", "cached"].map(
    (key) => new RegExp(`^${key}\\s*:\\s*(\\d+) KiB`, "m").exec(text)?.[1],
  );
  return kib.some((one) => one === undefined)
    ? undefined
    : Math.floor(kib.reduce((sum, one) => sum + Number(one), 0) / 1024);
}

export function checkHypervisors(
  settings: HypervisorsOfLab,
  hypervisors: readonly HypervisorFacts[],
): HostProblem[] {
  return hypervisors.flatMap((one) => checkOne(settings, one));
}

type Remote = RemoteHypervisorSettings;

function checkOne(settings: HypervisorsOfLab, facts: HypervisorFacts): HostProblem[] {
  const index = settings.hypervisors.findIndex(({ name }) => name === facts.name);
  const remote = settings.hypervisors[index];
  if (remote === undefined) return [];
  const setting = (key: string): string => pathText(["hypervisors", index, key]);
  if (facts.keyError !== undefined) {
    const instead =
      "Write the path of a private key that can log in there and has no passphrase, which the libvirt provider does not support.";
    return [{ subject: setting("privateKeyFile"), why: facts.keyError, instead }];
  }
  const subject = `The hypervisor ${remote.name} (${remote.uri})`;
  const { libvirt } = facts;
  if (!libvirt.reachable) {
    const instead =
      "Check that libvirtd and sshd run there, and that the key and host key are right. " +
      `To go on without its nodes: \`make up\`, which leaves them as they are (KINDOWS_AWAY=${remote.name}, docs/fleet.md).`;
    return [{ subject, why: `can't be reached: ${libvirt.error}`, instead }];
  }
  return [
    ...unless(libvirt.emulatorError === undefined, {
      subject,
      why: `can't run machines of its domainType: ${libvirt.emulatorError}`,
      instead: `Install QEMU and make KVM work on ${remote.name}, or, for a rehearsal, write "qemu".`,
    }),
    ...names(settings, remote, libvirt),
    // A bridge that kindows makes may not exist yet.
    ...(settings.network.fabric === "bridge"
      ? bridge(setting("bridge"), remote, libvirt.bridge, settings.network.mtu)
      : []),
    ...memory(settings, subject, remote, libvirt),
  ];
}

type Reached = Extract<HypervisorFacts["libvirt"], { reachable: true }>;

/** Reports pools and machines on the hypervisor that have names of the lab but do not belong to it. */
function names(settings: HypervisorsOfLab, { name }: Remote, libvirt: Reached): HostProblem[] {
  const { lab } = settings;
  const pool = remotePool(lab.name, name);
  const hasPool = libvirt.pools.some((one) => one.name === pool.name);
  const instead = "Rename or remove it, or write another kindows:lab.name.";
  return [
    ...libvirt.pools
      .filter((one) => (one.name === pool.name) !== (one.path === pool.folder))
      .map((one) => ({
        subject: `libvirt's pool ${one.name} on ${name}`,
        why: `has the lab's name or folder there, ${pool.name} in ${pool.folder}, but not both`,
        instead,
      })),
    ...machineNodes(settings)
      .filter((node) => node.hypervisor === name && !hasPool)
      .map((node) => domainName(lab.name, node.name))
      .filter((domain) => libvirt.domains.some((one) => one.name === domain))
      .map((domain) => ({
        subject: `libvirt's machine ${domain} on ${name}`,
        why: "has the name of a node's machine, but the lab has nothing there yet",
        instead,
      })),
  ];
}

function bridge(
  subject: string,
  { name, bridge: bridgeName }: Remote,
  found: RemoteHostFacts["bridge"],
  mtu: number,
): HostProblem[] {
  return typeof found === "string"
    ? unless(found === "unknown", {
        subject,
        why: `"${bridgeName}" is not a bridge of ${name}`,
        instead:
          "Make it there and connect it to this host's bridge, as docs/fleet.md shows, or write the name of one that is connected.",
      })
    : smallPackets(`The bridge ${bridgeName} of ${name}`, found.mtu, mtu);
}

/** Reports if the machines that do not run yet need more memory than is available. */
function memory(
  settings: HypervisorsOfLab,
  subject: string,
  { name }: Remote,
  { domains, availableMiB }: Reached,
): HostProblem[] {
  const { lab } = settings;
  const running = new Set(domains.filter((one) => one.running).map((one) => one.name));
  const wanted = machineNodes(settings)
    .filter((node) => node.hypervisor === name && !running.has(domainName(lab.name, node.name)))
    .map((node) => ({ name: node.name, memoryMiB: node.memoryMiB + machineOverheadMiB }));
  const needed = wanted.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  return unless(availableMiB === undefined || needed <= availableMiB, {
    subject,
    why: `has ${availableMiB} MiB of memory available, but ${needed} are needed (${wanted.map((one) => `${one.name} ${one.memoryMiB}`).join(", ")})`,
    instead: "Place nodes elsewhere (kindows:nodes[].hypervisor), or stop something there.",
  });
}
