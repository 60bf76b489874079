import { builtTool } from "../../toolchain/built.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { messageOf } from "../../host/failure.ts";
import { writeAccessFiles } from "../lab/access.ts";
import type { AccessFiles } from "../lab/access.ts";
import { domains } from "../host-resources/domains.ts";
import { onEachHypervisor } from "../host-resources/on-each-hypervisor.ts";
import { hypervisorsIn } from "../lab/fleet.ts";
import { thisHost, type Host } from "../lab/host.ts";
import { labOutputs, type LabOutputs } from "../lab/outputs.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";
import { clusterNodes } from "./cluster-nodes.ts";
import type { LabStatus, MachineState } from "./report.ts";

/** Longest wait for the API server. */
const apiTimeout = "1500ms";

/** A lab to examine, repeatedly as long as the stack's state does not change. */
export interface KnownLab {
  readonly stack: string;
  readonly lab: string;
  /** Including the further hypervisors of its machines. */
  readonly host: Host;
  readonly rehearsal: boolean;
  readonly outputs: LabOutputs;
  readonly access: AccessFiles;
}

/**
 * What the stack's state says about its lab. Rewrites the access files, so that they are also right after plain `pulumi up`.
 *
 * @returns undefined if the stack is not up.
 */
export async function knownLab(stack: string): Promise<KnownLab | undefined> {
  const identity = await labIdentity(stack);
  const lab = identity.names.prefix;
  const outputs = await labOutputs(enginePulumi(stack, lab));
  if (outputs === undefined) {
    return undefined;
  }
  const access = await writeAccessFiles(stack, outputs);
  const settings = await attempt(async () => stackSettings(stack));
  const rehearsal = settings.value?.windows.image.kind === "rehearsal";
  const others = settings.value === undefined ? [] : hypervisorsIn(settings.value);
  return { stack, lab, host: thisHost(identity, others), rehearsal, outputs, access };
}

/** Current status of a lab: nodes from the cluster, machines from libvirt, each queried for a bounded time. */
export async function lookAt(known: KnownLab): Promise<LabStatus> {
  const { stack, lab, host, rehearsal, outputs, access } = known;
  const [nodes, machines] = await Promise.all([
    attempt(async () =>
      clusterNodes(
        (await host.run(builtTool("kubectl"), [
          ...["--kubeconfig", access.kubeconfig, "--request-timeout", apiTimeout],
          ...["get", "--raw", "/api/v1/nodes"],
        ])) ?? "",
      ),
    ),
    attempt(async () => machinesOf(lab, host)),
  ]);
  return {
    stack,
    lab,
    rehearsal,
    nodes: nodes.value ?? [],
    ...(nodes.trouble !== undefined && { clusterTrouble: nodes.trouble }),
    machines: machines.value ?? [],
    ...(machines.trouble !== undefined && { machineTrouble: machines.trouble }),
    outputs,
    access,
  };
}

async function machinesOf(lab: string, host: Host): Promise<readonly MachineState[]> {
  const found = (await onEachHypervisor(domains).find(host)).filter((thing) => thing.lab === lab);
  return found.map(({ name, state = "" }) => ({ name, state }));
}

async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ readonly value?: T; readonly trouble?: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { trouble: messageOf(error) };
  }
}
