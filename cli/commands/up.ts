import { isYours } from "../../components/cni/pod-networks.ts";
import { hostProblemText } from "../../config/host-problem.ts";
import { labIdVariable } from "../../config/names.ts";
import { nodesOnMachines, type Settings } from "../../config/settings.ts";
import {
  checkConfinement,
  gatherConfinement,
} from "../../components/machine/libvirt/confinement.ts";
import { domains } from "../../components/machine/libvirt/domains.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { consentOf } from "../fetch/consent.ts";
import { prepareStack } from "../prepare/prepare.ts";
import { ensureLocalState } from "../engine/folders.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { resourcesOf, type StateResource } from "../engine/deployment.ts";
import { ensureStack, readState } from "../engine/states.ts";
import { beginUpLog, upLogFile, type UpLog } from "../engine/up-log.ts";
import { removeOrphans } from "../host-resources/host-resources.ts";
import { assertAddressesFree } from "../lab/addresses-in-use.ts";
import { announceLab, assertNotTheirs } from "../lab/claim.ts";
import { assertNothingForeign, assertOfThisVersion, labIdOf, recordLab } from "../lab/proof.ts";
import {
  unreachableAmong,
  unreachableText,
  fleetOf,
  exclusionOf,
  leftText,
  unreachableUrns,
} from "../lab/fleet.ts";
import { type Host, thisHost } from "../../host/host.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import type { NodeEvent } from "../engine/events.ts";
import { say } from "../progress.ts";
import { tableTerminal } from "../stages/live-table.ts";
import { NodeStages, type StagedNode } from "../stages/node-stages.ts";
import { noteRunning } from "../power/booted-nodes.ts";
import { pushAgain } from "../recovery/repair.ts";
import { recoverState } from "../recovery/recover.ts";
import { type LabIdentity, labIdentity, stackSettings } from "../stack-settings.ts";
import { refreshMerged } from "./kubeconfig.ts";
import { labTroubles } from "../status/report.ts";
import { labStatus, reportStatus } from "./status.ts";

/** `kindows up`: takes a bare host to Ready nodes; also finishes what a killed run began. */
export function up(options: Options<"yes" | "verbose">): Promise<CommandResult> {
  return upReplacing(options, () => []);
}

/**
 * The same, and makes resources anew.
 *
 * @param replaced chooses their URNs from the stack's state, once that is recovered.
 */
export async function upReplacing(
  { stack, yes, verbose }: Options<"yes" | "verbose">,
  replaced: (resources: readonly StateResource[]) => readonly string[],
): Promise<CommandResult> {
  // Report mistakes in the settings before half an hour of building.
  const settings = await stackSettings(stack);
  const identity = await labIdentity(stack);
  const { lab } = identity;
  return asOnlyRun(stack, async () => {
    await prepareStack(stack, settings, consentOf(stack, yes));
    await ensureLocalState();
    const known = resourcesOf(await readState(stack));
    const fleet = await fleetOf(known, settings);
    if (fleet.unreachable.length > 0) say(leftText(fleet.unreachable, settings));
    const unreachable = unreachableUrns(known, fleet, settings);
    const exclusion = exclusionOf(fleet, settings, unreachable);
    assertOfThisVersion(stack, known);
    const id = await labIdOf(stack, known);
    const pulumi = enginePulumi(stack, lab, { ...exclusion.environment, [labIdVariable]: id });
    const host = thisHost(identity, fleet.reachable);
    await ensureStack(pulumi);
    await assertNotTheirs(lab, stack);
    await assertNothingForeign(stack, lab, host, known);
    recordLab(stack, lab, id);
    announceLab(lab, stack);
    const recovery = { pulumi, host, lab, unreachable, extent: "built-on", say } as const;
    const nodesAreBack = await noteRunning({ stack, lab, host });
    const { scope, resources } = await recoverState(recovery);
    assertAddressesFree(resources, settings, stack);
    const again = replaced(resources).flatMap((urn) => ["--replace", urn]);
    await removeOrphans(scope, host, say);
    const wholeLog = verbose ? ["--logtostderr", "-v=9"] : [];
    const args = ["up", "--yes", "--skip-preview", ...exclusion.args, ...wholeLog];
    const nodes = nodesOnMachines(settings);
    const log = await beginUpLog(upLogFile(stack));
    try {
      const staged = { nodes, awaitsReady: !isYours(settings.cni.kind) };
      const firstRun = await run(pulumi, [...args, ...again], staged, log);
      // The engine does not push a file again if it was damaged or deleted on the machine: only a step notices that.
      const lackingPrograms = failedNodes(firstRun.events, unusablePrograms);
      const pushed = lackingPrograms.length > 0 && (await pushAgain(pulumi, lackingPrograms));
      const lastRun = pushed ? await run(pulumi, args, staged, log) : firstRun;
      if (lastRun.error !== undefined) {
        // The engine reports what failed, but not that the host was the reason.
        for (const one of await unreachableAmong(fleet.reachable)) {
          say(`${unreachableText(one)}. Run again when it is back`);
        }
        (await confinementDenials(settings, host)).forEach(say);
        const failed = failedNodes(lastRun.events);
        if (failed.length > 0) {
          // Slow to load and rarely needed.
          const { logsOfFailed } = await import("./logs.ts");
          await logsOfFailed(pulumi, failed);
        }
        throw lastRun.error;
      }
      await nodesAreBack();
    } finally {
      await log.close();
    }
    const isWhole = fleet.unreachable.length === 0;
    const result = await endState(identity, settings, isWhole);
    if (!isWhole) {
      throw new Failure(`${leftText(fleet.unreachable, settings)}. Run again when it is back`);
    }
    return result;
  });
}

/**
 * Repairs what the state does not record, for example that a Node was deleted, and reports the lab after a run.
 *
 * @param isWhole whether all of the lab's hypervisors answer.
 */
async function endState(
  identity: LabIdentity,
  settings: Settings,
  isWhole: boolean,
): Promise<CommandResult> {
  const { stack, lab } = identity;
  const examine = async () => (await labStatus(identity, settings))?.();
  let seen = await examine();
  if (seen !== undefined) await refreshMerged(stack, seen.outputs.kubeconfig);
  if (seen !== undefined && labTroubles(seen).length > 0 && isWhole) {
    const { repairLab } = await import("../doctor/fix.ts");
    await repairLab({ stack, lab, host: thisHost(identity) });
    seen = await examine();
  }
  return reportStatus(seen ?? `the stack ${stack} has no outputs although it is up`);
}

/** Denials by AppArmor or SELinux, of which QEMU itself only says "Permission denied". */
async function confinementDenials(settings: Settings, host: Host): Promise<readonly string[]> {
  const [machines, confinement] = await Promise.all([
    domains.find(host).catch(() => []), // Reported by what needs libvirt.
    gatherConfinement(),
  ]);
  const seen = machines.map(({ name, state }) => ({ name, running: state !== "shut off" }));
  const libvirt = { reachable: true, domains: seen } as const;
  return checkConfinement(settings, { libvirt, confinement }).map(hostProblemText);
}

interface Run {
  readonly events: readonly NodeEvent[];
  readonly error?: Error;
}

/** Error codes of steps that find a file missing or damaged. */
export const unusablePrograms: readonly unknown[] = ["MediumMissing", "ChecksumMismatch"];

/** The nodes that failed in a run. @param codes error codes of the steps that count. Default: every failure counts. */
export function failedNodes(
  events: readonly NodeEvent[],
  codes?: readonly unknown[],
): readonly string[] {
  const failed = events.flatMap((event) =>
    event.kind === "failed" && (codes?.includes(event.code) ?? true) ? event.node : [],
  );
  return [...new Set(failed)];
}

async function run(
  pulumi: Pulumi,
  args: readonly string[],
  { nodes, awaitsReady }: { readonly nodes: readonly StagedNode[]; readonly awaitsReady: boolean },
  log: UpLog,
): Promise<Run> {
  const events: NodeEvent[] = [];
  const report = (line: string): void => {
    say(line);
    log.write(line);
  };
  const stages = new NodeStages(nodes, report, {
    awaitsReady,
    terminal: tableTerminal(),
  });
  const read = (event: NodeEvent): void => {
    events.push(event);
    stages.read(event);
  };
  try {
    await pulumi.operation({ args, onLine: (line) => log.write(line), onEvent: read });
    return { events };
  } catch (error) {
    if (error instanceof Failure && error.exitCode === exitCodes.interrupted) throw error;
    return { events, error: error as Error };
  } finally {
    stages.stop();
  }
}
