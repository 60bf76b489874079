import { SettingsError, type SettingsProblem } from "../../config/problem.ts";
import { type Settings } from "../../config/settings.ts";
import type { StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import { machineNodes } from "../../config/sections/nodes.ts";

/**
 * Refuses to give a machine the address of another one that still runs. The engine creates and changes machines before
 * it removes old ones, so the new machine would wait for an address at which the old one answers.
 */
export function assertAddressesFree(
  resources: readonly StateResource[],
  settings: Pick<Settings, "nodes" | "linuxNodes">,
  stack: string,
): void {
  // Machines of a version without facts are taken over by this `up`, and their addresses are not known before.
  const withFacts = resources.filter(
    ({ inputs, ...each }) => each.delete !== true && inputs?.["facts"],
  );
  const facts = new StackFacts(withFacts);
  const machines = [...facts.of("kindows:machine:LibvirtMachine").values()];
  const problems = machineNodes(settings).flatMap(({ name, address }): SettingsProblem[] => {
    const owner = machines.find((machine) => machine.address === address && machine.node !== name);
    if (owner === undefined) return [];
    const own = machines.find(({ node }) => node === name)?.address;
    return [
      {
        path: ["nodes"],
        location: `the address of ${name}`,
        value: address,
        why: `is still that of ${owner.node}, which is removed or moved only after ${name} has got it`,
        instead:
          own === undefined
            ? `Write another address for ${name}, or add it in a second run.`
            : `Write \`address: ${own}\`, which it has now, for ${name}.`,
      },
    ];
  });
  if (problems.length > 0) throw new SettingsError(problems, `Pulumi.${stack}.yaml`);
}
