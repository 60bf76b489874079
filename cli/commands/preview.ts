import { prepare } from "../prepare/prepare.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { ensureStack } from "../engine/states.ts";
import { ensureLocalState } from "../engine/folders.ts";
import type { Options } from "../command-line/options.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";

/** `kindows preview`: shows what `up` would change. */
export async function preview({ stack }: Options): Promise<void> {
  const settings = await stackSettings(stack);
  const { lab } = await labIdentity(stack);
  await prepare(settings);
  await ensureLocalState();
  const pulumi = enginePulumi(stack, lab);
  await ensureStack(pulumi);
  await pulumi.operation(["preview"]);
}
