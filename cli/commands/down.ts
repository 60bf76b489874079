import { labIdVariable } from "../../config/names.ts";
import type { Options } from "../command-line/options.ts";
import { prepareEngine } from "../engine/prepare-engine.ts";
import { chosenBackend } from "../engine/backend.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { readState, stackExists } from "../engine/states.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { removeOrphans } from "../host-resources/host-resources.ts";
import { startDaemons } from "../host-resources/stopped.ts";
import { assertNotTheirs, releaseLab } from "../lab/claim.ts";
import { assertNothingForeign, forgetLab, labIdOf } from "../lab/proof.ts";
import { assertAllReachable, fleetOf } from "../lab/fleet.ts";
import { thisHost, type Host } from "../../host/host.ts";
import { say } from "../progress.ts";
import { tableTerminal } from "../stages/live-table.ts";
import { NodeStages } from "../stages/node-stages.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { recoverState } from "../recovery/recover.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";

const nothing: ReadonlySet<string> = new Set();

/** `kindows down`: removes everything of a lab, in whatever state it is. */
export async function down({ stack }: Options): Promise<void> {
  const identity = await labIdentity(stack);
  const { lab } = identity;
  await assertNotTheirs(lab, stack);
  await asOnlyRun(stack, async () => {
    await startDaemons(identity.libvirtUri, say);
    // Tools may have been removed since; usually the cache still has them.
    if (chosenBackend() !== undefined || (await stackExists(stack))) {
      await prepareEngine([], { progress: say });
    }
    // Invalid settings must not prevent removal: then the hypervisors in the state are used.
    const known = resourcesOf(await readState(stack));
    const fleet = await fleetOf(known, await stackSettings(stack).catch(() => undefined));
    assertAllReachable(fleet, stack);
    const host = thisHost(identity, fleet.reachable);
    await assertNothingForeign(stack, lab, host, known);
    if (await stackExists(stack)) {
      const marked = { [labIdVariable]: await labIdOf(stack, known) };
      await destroy(enginePulumi(stack, lab, marked), lab, host);
    }
    await removeOrphans({ lab, owned: nothing }, host, say);
    await forgetLab(stack);
    await releaseLab(lab);
  });
  say(`the lab ${lab} is gone from this host`);
}

async function destroy(pulumi: Pulumi, lab: string, host: Host): Promise<void> {
  const recovery = { pulumi, host, lab, extent: "deleted-with", say } as const;
  const { scope } = await recoverState(recovery);
  try {
    // An incomplete machine or container would prevent the engine from removing its networks.
    await removeOrphans(scope, host, say);
    await destroyResources(pulumi);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.failed) throw error;
    say("removing by name what the engine could not remove");
    await removeOrphans({ lab, owned: nothing }, host, say);
    await recoverState(recovery);
    await destroyResources(pulumi);
  }
}

async function destroyResources(pulumi: Pulumi): Promise<void> {
  const leaving = resourcesOf(await pulumi.exportState());
  if (leaving.length === 0) return;
  const stages = new NodeStages([], say, { terminal: tableTerminal(), isLeaving: true });
  try {
    await pulumi.operation({
      args: ["destroy", "--yes", "--skip-preview"],
      onEvent: (event) => stages.read(event),
      leaving,
    });
  } finally {
    stages.stop();
  }
}
