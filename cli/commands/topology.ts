import { writeFile } from "node:fs/promises";

import { projectRoot } from "../../toolchain/project.ts";
import { exitCodes } from "../../host/failure.ts";
import { watchInterruption } from "../../host/interruption.ts";
import { previewOf, previewTools } from "../preview-diff/preview.ts";
import { stackSettings } from "../stack-settings.ts";
import { topologySvg } from "../topology/topology-svg.ts";

export interface TopologyOptions {
  readonly stack: string;
  /** File for the picture. Default: standard output. */
  readonly out?: string;
}

/**
 * `kindows topology`: draws a stack from a preview: needs no Docker, no libvirt and no state.
 *
 * @throws Failure when the stack cannot be previewed.
 */
export async function topology({ stack, out }: TopologyOptions): Promise<number> {
  // First report mistakes in the settings.
  await stackSettings(stack);
  const { signal } = watchInterruption();
  const tools = await previewTools(signal);
  const svg = await topologySvg(stack, await previewOf(projectRoot, stack, tools));
  if (signal.aborted) {
    return exitCodes.interrupted;
  }
  await (out === undefined ? process.stdout.write(svg) : writeFile(out, svg));
  return exitCodes.ok;
}
