import { pulledImages } from "../../stacks/pulled-images.ts";
import type { Options } from "../command-line/options.ts";
import { stackSettings } from "../stack-settings.ts";
import { table } from "../table.ts";

/**
 * `kindows images`: prints the images that the stack pulls, by node and platform; with `--platform` only the images of
 * one, each once.
 */
export async function images({
  stack,
  platform,
}: Options & { readonly platform?: string }): Promise<void> {
  const all = pulledImages(await stackSettings(stack));
  if (platform !== undefined) {
    const wanted = all.filter((each) => each.platform === platform).map(({ image }) => image);
    for (const image of new Set(wanted)) process.stdout.write(`${image}\n`);
    return;
  }
  const rows = all.map((each) => [each.node, each.platform, each.image]);
  process.stdout.write(`${table(["NODE", "PLATFORM", "IMAGE"], rows)}\n`);
}
