import type { CommandResult, Options } from "../command-line/options.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { labStateOf } from "../lab/lab-state.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { withImages } from "../load/image-source.ts";
import { giveTo, takingNodes } from "../load/load-nodes.ts";
import { planLoad } from "../load/load-plan.ts";
import { print, say } from "../progress.ts";

interface LoadOptions extends Options {
  /** Paths of archives, or names of images in Docker. */
  readonly image: readonly string[];
  /** Names of nodes; none: all whose platform the images are for. */
  readonly node: readonly string[];
}

/**
 * `kindows load`: puts images onto the lab's nodes, as `kind load` does, but onto machines and Windows nodes too. Exit code 1
 * if a node did not take an image; the others have it then.
 */
export async function load({ stack, image, node: named }: LoadOptions): Promise<CommandResult> {
  const { lab, outputs } = await labThatIsUp(stack);
  const { machines } = await labStateOf(enginePulumi(stack, lab));
  const known = await takingNodes(outputs, machines);
  return withImages(stack, image, async (archives) => {
    const failed: string[] = [];
    for (const { archive, images, nodes: taking } of planLoad(archives, known, named)) {
      await giveTo(taking, { archive, images }, (node, reason) => {
        if (reason === undefined) {
          print(`${node} has ${images.join(", ")}`);
          return;
        }
        say(`${node}: ${reason}`);
        failed.push(node);
      });
    }
    return failed.length === 0
      ? undefined
      : `${[...new Set(failed)].join(", ")} did not take all images (see above): run again`;
  });
}
