import type { CommandResult } from "../command-line/options.ts";
import { isYours } from "../../components/cni/pod-networks.ts";
import type { StatusOptions } from "../status/made-machines.ts";
import { builtTool } from "../../toolchain/built.ts";
import { stacksWithState } from "../engine/states.ts";
import { print } from "../progress.ts";
import { messageOf } from "../../host/failure.ts";
import { labTroubles, statusText, type LabStatus, clusterNodes } from "../status/report.ts";
import { watch } from "../status/watch.ts";
import { findLab, type LabIdentity, labIdentity, stackSettings } from "../stack-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { writeAccessFiles } from "../lab/access.ts";
import { listedMachines } from "../../components/machine/machine-makers.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { hypervisorConnections } from "../../components/machine/libvirt/hypervisor-connections.ts";
import { thisHost } from "../../host/host.ts";
import { labOutputs } from "../lab/outputs.ts";
import { isRehearsed } from "../../config/image-sources.ts";

/**
 * `kindows status`: shows nodes, machines, and how to reach them. Exit code 0 when all nodes of the lab are Ready and all
 * machines run, else 1; 0 if a watch was ended.
 */
export async function status(options: StatusOptions): Promise<CommandResult> {
  const { stack, json } = options;
  // Fails with the list of stacks if this is not one of them.
  if ((await findLab(stack)) === undefined) {
    return (await import("../status/made-machines.ts")).status(options);
  }
  const examine = examineStatus(stack);
  const text = (seen: LabStatus): string => statusText(seen, builtTool("kubectl"));
  const notUp = notUpText(stack);
  if (options.watch) {
    await watch({
      examine,
      report: (seen) => (seen === undefined ? notUp : text(seen)),
      display: process.stdout,
      intervalSeconds: options.interval ?? 5,
      signal: watchInterruption().signal,
      now: () => new Date(),
    });
    return undefined;
  }
  return reportStatus((await examine()) ?? notUp, json);
}

export function reportStatus(seen: LabStatus | string, json = false): CommandResult {
  if (typeof seen === "string") return seen;
  const troubles = labTroubles(seen);
  if (json) {
    // Secrets are in the access files, not here.
    const { outputs, ...rest } = seen;
    const { controlPlane, nodes } = outputs;
    const healthy = troubles.length === 0;
    const document = { ...rest, healthy, controlPlane, machinesOfStack: nodes };
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    print(statusText(seen, builtTool("kubectl")));
  }
  return troubles.length === 0 ? undefined : troubles.join("; ");
}

function notUpText(stack: string): string {
  return `the stack ${stack} is not up: \`kindows up --stack ${stack}\``;
}

/** Examines a stack's lab; asks the engine for outputs only if the state has changed since the last time. */
function examineStatus(stack: string): () => Promise<LabStatus | undefined> {
  let written: string | undefined;
  let lab: Awaited<ReturnType<typeof knownLab>>;
  return async () => {
    const now = (await stacksWithState()).get(stack);
    if (now === undefined) lab = undefined;
    else if (lab === undefined || now !== written) lab = await knownLab(stack);
    written = now;
    return lab?.();
  };
}

const apiTimeout = "1500ms";

/** Examines a stack's lab by its outputs and settings as they are now. */
async function knownLab(stack: string): Promise<(() => Promise<LabStatus>) | undefined> {
  const { value: settings } = await attempt(async () => stackSettings(stack));
  return labStatus(await labIdentity(stack), settings);
}

/**
 * Reads a lab's outputs. Rewrites the access files, so that they are also right after plain `pulumi up`.
 *
 * @param settings undefined if they are wrong now.
 * @returns a function that reads nodes from the cluster and machines from libvirt, each in bounded time; undefined if
 *   the stack is not up.
 */
export async function labStatus(
  identity: LabIdentity,
  settings: Settings | undefined,
): Promise<(() => Promise<LabStatus>) | undefined> {
  const { stack, lab } = identity;
  const outputs = await labOutputs(enginePulumi(stack, lab));
  if (outputs === undefined) return undefined;
  const access = await writeAccessFiles(stack, outputs);
  const rehearsal = settings !== undefined && isRehearsed(settings);
  const awaitsPodNetwork = settings !== undefined && isYours(settings.cni.kind);
  const host = thisHost(identity, settings && hypervisorConnections(settings));
  const query = [
    ...["--kubeconfig", access.kubeconfig, "--request-timeout", apiTimeout],
    ...["get", "--raw", "/api/v1/nodes"],
  ];
  return async () => {
    const [nodes, machines] = await Promise.all([
      attempt(async () => clusterNodes((await host.run(builtTool("kubectl"), query)) ?? "")),
      attempt(() => listedMachines(host)),
    ]);
    const ofLab = (machines.value ?? []).filter((machine) => machine.lab === lab);
    return {
      stack,
      lab,
      rehearsal,
      ...(awaitsPodNetwork && { awaitsPodNetwork }),
      nodes: nodes.value ?? [],
      ...(nodes.trouble !== undefined && { clusterTrouble: nodes.trouble }),
      machines: ofLab.map(({ name, state = "" }) => ({ name, state })),
      ...(machines.trouble !== undefined && { machineTrouble: machines.trouble }),
      outputs,
      access,
    };
  };
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
