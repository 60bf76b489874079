import { bootSeconds, settled } from "../doctor/fix.ts";
import { startStopped } from "../host-resources/stopped.ts";
import { onOwnLab } from "../lab/own-lab.ts";
import { noteRunning } from "../power/booted-nodes.ts";
import { isNode, type Part, partsOf } from "../power/turn-off.ts";
import { say } from "../progress.ts";
import { partsOfNode, type PowerOptions } from "./stop.ts";

/** `kindows start`: turns on what `stop` has turned off, and waits until its nodes are Ready, with their network. */
export async function start({ stack, node }: PowerOptions): Promise<void> {
  await onOwnLab(stack, { startsDaemons: true, wasUp: true }, async (own) => {
    const { lab, host } = own;
    const all = await partsOf(host, lab);
    const wanted = partsOfNode(all, node, stack);
    const since = new Date();
    const nodesAreBack = await noteRunning(own, all);
    const names = new Set(wanted.map(({ resource }) => resource.name));
    await startStopped(lab, host, node === undefined ? "all" : names, say);
    if (!wanted.some(isNode)) return;
    if (node !== undefined && !hasControlPlane(all, wanted)) {
      say(`the control plane is off, so nobody can tell whether ${node} is Ready`);
    } else {
      await settled(own, since, bootSeconds, node === undefined ? undefined : [node]);
      await nodesAreBack();
    }
    say(`${node ?? `the lab ${lab}`} is on`);
  });
}

function hasControlPlane(all: readonly Part[], started: readonly Part[]): boolean {
  return all.some(
    (part) =>
      "role" in part.resource &&
      part.resource.role === "control-plane" &&
      (part.isRunning || started.includes(part)),
  );
}
