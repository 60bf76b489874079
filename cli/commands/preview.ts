import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { prepareEngine } from "../engine/prepare-engine.ts";
import { unprepared } from "../prepare/prepare.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { ensureStack } from "../engine/states.ts";
import { ensureLocalState } from "../engine/folders.ts";
import type { Options } from "../command-line/options.ts";
import { say } from "../progress.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";

/** `kindows preview`: shows what `up` would change. It needs the engine, and builds, fetches and starts nothing else. */
export async function preview({ stack }: Options): Promise<void> {
  const settings = await stackSettings(stack);
  const { lab } = await labIdentity(stack);
  await prepareEngine([], {
    progress: say,
    ensurePackages: (names) => ensureHostPackages(names, say),
  });
  await ensureLocalState();
  const pulumi = enginePulumi(stack, lab);
  const [missing] = await Promise.all([unprepared(settings), ensureStack(pulumi)]);
  await pulumi.operation({ args: ["preview"] });
  if (missing.length > 0) say(`to be prepared by \`up\` first: ${missing.join(", ")}`);
}
