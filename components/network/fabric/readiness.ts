import type { HostProblem } from "../../../config/host-problem.ts";
import { thisHypervisor } from "../../../config/sections/machine-host.ts";
import { machineNodes } from "../../../config/sections/nodes.ts";
import { messageOf } from "../../../host/failure.ts";
import { sshServerOf } from "../../machine/libvirt/remote-hypervisor.ts";
import { type FabricEnd, type FabricOnHost } from "./fabric.ts";
import { fabrics } from "./fabrics.ts";
import { runAsRoot } from "./run-as-root.ts";
import { fabricEnds, type FabricLab } from "./fabric-ends.ts";

const probeSeconds = 30;

/** Remedies for the requirements that all fabrics have in common. */
const remedies: FabricOnHost["remedies"] = {
  address: {
    why: "has no interface with its fabricAddress",
    instead: "Write an address of this host that the others reach (kindows:network.fabric).",
  },
};

/** Checks this host and the hosts of the run's nodes, in parallel, for requirements of the fabric that are not met. */
export async function fabricProblems(settings: FabricLab): Promise<HostProblem[]> {
  const { onHost } = fabrics[settings.network.fabric];
  if (onHost === undefined) return [];
  const used = new Set(machineNodes(settings).map(({ hypervisor }) => hypervisor));
  const ends = fabricEnds(settings).filter(({ host, isLocal }) => isLocal || used.has(host.name));
  const found = await Promise.all(
    ends.map((end) =>
      runAsRoot(sshServerOf(end.host.name, settings), probeText(onHost, end), probeSeconds).then(
        (output) => lacking(onHost, end, output),
        (error: unknown) => [notRun(end, messageOf(error))],
      ),
    ),
  );
  return found.flat();
}

function probeText({ probe }: FabricOnHost, end: FabricEnd): string {
  return `export PATH="$PATH:/usr/sbin:/sbin"
[ -n "$(ip -o address show to ${end.host.address} 2>&1)" ] || echo address ${end.host.address}
${probe(end)}
`;
}

export function lacking(onHost: FabricOnHost, end: FabricEnd, output: string): HostProblem[] {
  const all = { ...remedies, ...onHost.remedies };
  return output.split("\n").flatMap((line) => {
    const [name = "", ...found] = line.trim().split(" ");
    const remedy = all[name];
    if (remedy === undefined) return [];
    const details = found.length === 0 ? "" : ` (${found.join(" ")})`;
    return [{ subject: subjectOf(end), ...remedy, why: `${remedy.why}${details}` }];
  });
}

function notRun(end: FabricEnd, error: string): HostProblem {
  return {
    subject: subjectOf(end),
    why: `cannot be checked for the network fabric: ${error}`,
    instead:
      "The check runs as root: log in as root, or allow the account `sudo` without a password (docs/fleet.md).",
  };
}

function subjectOf({ host: { name } }: FabricEnd): string {
  return name === thisHypervisor ? "This host" : `The hypervisor ${name}`;
}
