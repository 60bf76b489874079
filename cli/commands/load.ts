import type { CommandResult, Options } from "../command-line/options.ts";
import { firstLineOf } from "../../host/failure.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { labStateOf } from "../lab/lab-state.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { withImages } from "../load/image-source.ts";
import { takingNodes } from "../load/load-nodes.ts";
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
      await Promise.all(
        taking.map(async (node) => {
          try {
            await node.take({ archive, images });
            print(`${node.name} has ${images.join(", ")}`);
          } catch (error) {
            say(`${node.name}: ${firstLineOf(error)}`);
            failed.push(node.name);
          }
        }),
      );
    }
    return failed.length === 0
      ? undefined
      : `${[...new Set(failed)].join(", ")} did not take all images (see above): run again`;
  });
}
