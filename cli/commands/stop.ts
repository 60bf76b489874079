import { Failure, messageOf } from "../../host/failure.ts";
import type { Options } from "../command-line/options.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { type LabOutputs, machineSource } from "../lab/lab-outputs.ts";
import { labOutputs } from "../lab/outputs.ts";
import { onOwnLab } from "../lab/own-lab.ts";
import { type Asked, type Part, partsOf, turnOff } from "../power/turn-off.ts";
import { say } from "../progress.ts";

export interface PowerOptions extends Options {
  /** Undefined: all nodes that the lab made. */
  readonly node?: string | undefined;
}

/** `kindows stop`: turns off the lab's machines and containers, or those of one node, and keeps everything. */
export async function stop({ stack, node }: PowerOptions): Promise<void> {
  await onOwnLab(stack, { wasUp: true }, async ({ lab, host }) => {
    const parts = partsOfNode(await partsOf(host, lab), node, stack);
    if (!parts.some(({ isRunning }) => isRunning)) {
      say(`${node ?? `the lab ${lab}`} is off already`);
      return;
    }
    // Without outputs nobody can be asked, and machines are powered off.
    const outputs = await labOutputs(enginePulumi(stack, lab)).catch((error: unknown) => {
      say(`the stack's outputs cannot be read: ${messageOf(error)}`);
      return undefined;
    });
    await turnOff(host, parts, outputs === undefined ? new Map() : askedOf(outputs), say);
  });
  const again = node === undefined ? "" : ` ${node}`;
  say(`nothing was removed: \`kindows start${again} --stack ${stack}\` turns it on again`);
}

/** @throws Failure if the lab made no machine or container for the node. */
export function partsOfNode(
  parts: readonly Part[],
  node: string | undefined,
  stack: string,
): readonly Part[] {
  const wanted = parts.filter((each) => node === undefined || each.node === node);
  if (wanted.length > 0) return wanted;
  const names = parts.map((each) => each.node).sort();
  throw new Failure(
    names.length === 0
      ? `the lab has neither machines nor containers on this host: \`kindows up --stack ${stack}\``
      : `${node} is none of the machines and containers that this lab made on this host: ${names.join(", ")}`,
  );
}

function askedOf(outputs: LabOutputs): ReadonlyMap<string, Asked> {
  return new Map(
    outputs.nodes.map((node) => [node.name, { os: node.os, source: machineSource(node, outputs) }]),
  );
}
