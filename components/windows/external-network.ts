import { nodeStep, sessionEndSeconds, type JoiningNode, type NodeStep } from "./node-step.ts";

const parameters = { Address: "string", DelaySeconds: "int", Network: "string" } as const;
const title = { doing: "gets its pods' network", noun: "network" };

/**
 * Steps that create a pod network's HNS network on the machine's adapter. Creating it disconnects the machine, so one
 * step starts it and another connects again and checks the outcome.
 *
 * @param nameOf name of the HNS network.
 */
export function externalNetwork(nameOf: (node: JoiningNode) => string): readonly NodeStep[] {
  const values = (node: JoiningNode) => ({
    Address: node.nodeIp,
    DelaySeconds: sessionEndSeconds,
    Network: nameOf(node),
  });
  return [
    nodeStep({ name: "Add-ExternalNetwork", title, parameters, seconds: 120, values }),
    nodeStep({
      name: "Confirm-ExternalNetwork",
      title,
      parameters,
      // Until the machine answers again, possibly after a reboot because it got no address.
      seconds: ({ bootSeconds }) => 600 + bootSeconds + 240,
      values,
    }),
  ];
}
