import { prepare } from "../prepare/prepare.ts";
import { ensureLocalState } from "../engine/local-state.ts";
import { ensureStack } from "../engine/ensure-stack.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { claimLab } from "../lab/claim.ts";
import { thisHost } from "../lab/host.ts";
import { assertMayUse } from "../lab/may-use.ts";
import { sweepLeftovers } from "../lab/sweep.ts";
import { Failure, exitCodes } from "../failure.ts";
import { FailedNodes } from "../logs/failed-nodes.ts";
import { say } from "../progress.ts";
import { recoverState } from "../recovery/recover.ts";
import { ensureStackPrograms } from "../fetch/stack-programs.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";
import { status } from "./status.ts";

/** What makes the engine, its plugins' calls included, say all it does. */
const allOfItsLog = ["--logtostderr", "-v=9"];

export interface UpOptions {
  readonly stack: string;
  /** Print the engine's own log too. */
  readonly verbose: boolean;
}

/** `kindows up`: everything from a bare host to Ready nodes; also finishes what a killed run began. */
export async function up({ stack, verbose }: UpOptions): Promise<number> {
  // Mistakes in the settings are worth knowing before half an hour of building.
  const settings = await stackSettings(stack);
  const { names, libvirtUri } = await labIdentity(stack);
  const lab = names.prefix;
  await asOnlyRun(stack, async () => {
    await prepare(settings, say);
    await ensureStackPrograms(settings);
    await ensureLocalState();
    const pulumi = enginePulumi(stack, lab);
    const host = thisHost(libvirtUri);
    await ensureStack(pulumi);
    await assertMayUse(pulumi, lab, host);
    await claimLab(lab, stack);
    const owned = await recoverState({ pulumi, host, lab, extent: "built-on", say });
    await sweepLeftovers({ lab, owned }, host, say);
    const failed = new FailedNodes(settings.nodes.map(({ name }) => name));
    const args = ["up", "--yes", "--skip-preview", ...(verbose ? allOfItsLog : [])];
    try {
      await pulumi.operation(args, (line) => failed.read(line));
    } catch (error) {
      const interrupted = error instanceof Failure && error.exitCode === exitCodes.interrupted;
      if (failed.names.length > 0 && !interrupted) {
        // Slow to load, and seldom needed.
        const { logsOfFailed } = await import("./logs.ts");
        await logsOfFailed(pulumi, failed.names);
      }
      throw error;
    }
  });
  return status({ stack, json: false });
}
