import { nodeStep, type JoiningNode, type NodeStep } from "./node-step.ts";

/** Seconds the session that orders a network has to end. */
const delaySeconds = 5;

const parameters = { Address: "string", DelaySeconds: "int", Network: "string" } as const;
const title = { doing: "gets its pods' network", noun: "network" };

/**
 * A pod network's HNS network on the machine's adapter, which cuts the machine off while it is created: at a moment when nobody
 * minds, and waited for.
 *
 * @param nameOf its name; undefined where the machine gets none of that pod network's.
 */
export function externalNetwork(
  nameOf: (node: JoiningNode) => string | undefined,
): readonly NodeStep[] {
  const values = (node: JoiningNode) => {
    const name = nameOf(node);
    return name === undefined
      ? undefined
      : { Address: node.machine.address, DelaySeconds: delaySeconds, Network: name };
  };
  return [
    nodeStep({ name: "Add-ExternalNetwork", title, parameters, seconds: 120, values }),
    nodeStep({
      name: "Confirm-ExternalNetwork",
      title,
      parameters,
      // Until the machine answers again, if need be after the reboot that comes when its address does not.
      seconds: ({ bootSeconds }) => 600 + bootSeconds + 240,
      values,
    }),
  ];
}
