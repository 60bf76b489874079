import { writeFile } from "node:fs/promises";

import { projectRoot } from "../../toolchain/project.ts";
import type { Options } from "../command-line/options.ts";
import { exitCodes } from "../../host/failure.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { previewOf, previewTools } from "../preview-diff/preview.ts";
import { stackSettings } from "../stack-settings.ts";
import { topologySvg } from "../topology/topology-svg.ts";

/** `kindows topology`: draws a stack from a preview, which needs neither Docker nor libvirt nor a state. */
export async function topology({
  stack,
  out,
}: Options & { readonly out?: string }): Promise<number> {
  // First report mistakes in the settings.
  await stackSettings(stack);
  const { signal } = watchInterruption();
  const tools = await previewTools(signal);
  const svg = await topologySvg(stack, await previewOf(projectRoot, stack, tools));
  if (signal.aborted) return exitCodes.interrupted;
  await (out === undefined ? process.stdout.write(svg) : writeFile(out, svg));
  return exitCodes.ok;
}
