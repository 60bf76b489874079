import { hostProblemText } from "../../config/host-problem.ts";
import { machineNodes, type Settings } from "../../config/settings.ts";
import { checkConfinement } from "../../preflight/check-confinement.ts";
import { gatherConfinement } from "../../preflight/gather-confinement.ts";
import { gatherLibvirt } from "../../preflight/gather-libvirt.ts";
import { consentOf } from "../fetch/consent.ts";
import { prepareStack } from "../prepare/prepare-stack.ts";
import { ensureLocalState } from "../engine/folders.ts";
import { ensureStack, enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { beginUpLog, upLogFile, type UpLog } from "../engine/up-log.ts";
import { sweepLeftovers } from "../host-resources/host-resources.ts";
import { assertMayUse, claimLab } from "../lab/claim.ts";
import {
  unreachableAmong,
  unreachableText,
  fleetOf,
  exclusionOf,
  leftText,
  unreachableUrns,
  type Fleet,
} from "../lab/fleet.ts";
import { thisHost } from "../lab/host.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { FailedNodes } from "../logs/failed-nodes.ts";
import { say } from "../progress.ts";
import { type StagedNode, ToldStages } from "../stages/node-stages.ts";
import { pushAgain } from "../recovery/push-again.ts";
import { recoverState } from "../recovery/recover.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";
import { refreshMerged } from "./kubeconfig.ts";
import { status } from "./status.ts";

/** What makes the engine, its plugins' calls included, say all it does. */
const allOfItsLog = ["--logtostderr", "-v=9"];

export interface UpOptions {
  readonly stack: string;
  /** Fetch what is missing without a question. */
  readonly yes: boolean;
  /** Print the engine's own log too. */
  readonly verbose: boolean;
}

/** `kindows up`: everything from a bare host to Ready nodes; also finishes what a killed run began. */
export async function up({ stack, yes, verbose }: UpOptions): Promise<number> {
  // Mistakes in the settings are worth knowing before half an hour of building.
  const settings = await stackSettings(stack);
  const identity = await labIdentity(stack);
  const lab = identity.names.prefix;
  let fleet: Fleet = { reachable: [], unreachable: [] };
  await asOnlyRun(stack, async () => {
    await prepareStack(settings, consentOf(stack, yes), say);
    await ensureLocalState();
    fleet = await fleetOf(stack, settings);
    if (fleet.unreachable.length > 0) {
      say(leftText(fleet.unreachable, settings));
    }
    const unreachable = await unreachableUrns(stack, fleet, settings);
    const leaving = exclusionOf(fleet, settings, unreachable);
    const pulumi = enginePulumi(stack, lab, leaving.environment);
    const host = thisHost(identity, fleet.reachable);
    await ensureStack(pulumi);
    await assertMayUse(pulumi, lab, host);
    await claimLab(lab, stack);
    const scope = await recoverState({ pulumi, host, lab, unreachable, extent: "built-on", say });
    await sweepLeftovers(scope, host, say);
    const args = [
      ...["up", "--yes", "--skip-preview", ...leaving.args],
      ...(verbose ? allOfItsLog : []),
    ];
    const nodes = machineNodes(settings);
    const log = await beginUpLog(upLogFile(stack));
    try {
      const once = await run(pulumi, args, nodes, log);
      // The engine pushes nothing twice: what became of a file over there, nobody knew before a step looked.
      const again =
        once.lackingPrograms.length > 0 && (await pushAgain(pulumi, once.lackingPrograms, say));
      const last = again ? await run(pulumi, args, nodes, log) : once;
      if (last.error !== undefined) {
        // The engine tells what failed, but not that it was the host.
        (await unreachableAmong(fleet.reachable)).forEach((one) => say(`${unreachableText(one)}: run again then`));
        (await denied(settings)).forEach(say);
      }
      await finish(pulumi, last);
    } finally {
      await log.close();
    }
  });
  await refreshMerged(stack);
  const exitCode = await status({ stack, json: false });
  if (fleet.unreachable.length > 0) {
    throw new Failure(`${leftText(fleet.unreachable, settings)}. Run again when it is back`);
  }
  return exitCode;
}

/** What AppArmor or SELinux kept the machines from, in words: QEMU itself says "Permission denied" only. */
async function denied(settings: Settings): Promise<readonly string[]> {
  const [libvirt, confinement] = await Promise.all([
    gatherLibvirt(settings.hypervisor),
    gatherConfinement(),
  ]);
  return checkConfinement(settings, { libvirt, confinement }).map(hostProblemText);
}

/** What came of a run of the engine. */
interface Run {
  /** Undefined where all went well. */
  readonly error: Error | undefined;
  readonly failed: readonly string[];
  /** Nodes that want a program which is not, or not whole, on their machine. */
  readonly lackingPrograms: readonly string[];
}

/** @throws when it was interrupted. */
async function run(
  pulumi: Pulumi,
  args: readonly string[],
  nodes: readonly StagedNode[],
  log: UpLog,
): Promise<Run> {
  const seen = new FailedNodes();
  const stages = new ToldStages(nodes, (line) => {
    say(line);
    log.write(line);
  });
  let error: Error | undefined;
  try {
    await pulumi.operation(
      args,
      (line) => log.write(line),
      (event) => {
        seen.read(event);
        stages.read(event);
      },
    );
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.exitCode === exitCodes.interrupted) {
      throw thrown;
    }
    error = thrown as Error;
  } finally {
    stages.stop();
  }
  return { error, failed: seen.names, lackingPrograms: seen.lackingPrograms };
}

/** @throws what a run ended with, after the logs of the nodes that failed were taken. */
async function finish(pulumi: Pulumi, { error, failed }: Run): Promise<void> {
  if (error === undefined) {
    return;
  }
  if (failed.length > 0) {
    // Slow to load, and seldom needed.
    const { logsOfFailed } = await import("./logs.ts");
    await logsOfFailed(pulumi, failed);
  }
  throw error;
}
