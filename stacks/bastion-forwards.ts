import * as pulumi from "@pulumi/pulumi";
import {
  BastionForward,
  type ForwardArgs,
} from "../components/machine/existing/bastion-forward.ts";
import {
  keysOf,
  placeOf,
  type SshAccess,
} from "../components/machine/existing/existing-machine.ts";
import type { MachineAccess } from "./machine-access.ts";

/**
 * Opens the ports by which the last of several bastions are reached, each once. The program has to live as long as they
 * are used: Pulumi's runtime ends it when the engine has done everything, deletes too.
 *
 * @param ways to the machines, by their names.
 * @throws naming every port that is somebody else's.
 */
export async function openForwards(
  ways: readonly (readonly [string, MachineAccess])[],
): Promise<readonly BastionForward[]> {
  const opened = await Promise.allSettled(
    forwardsOf(ways).map((args) => BastionForward.open(args, warn)),
  );
  const problems = opened.flatMap((one) =>
    one.status === "rejected" ? [(one.reason as Error).message] : [],
  );
  if (problems.length > 0) {
    const lines = problems.map((problem) => `  - ${problem}`);
    throw new Error(`not all bastions can be reached; nothing was changed:\n${lines.join("\n")}`);
  }
  return opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

/** The ports, each with all machines behind it: one port leads to one bastion by one way (checked with the settings). */
function forwardsOf(ways: readonly (readonly [string, MachineAccess])[]): readonly ForwardArgs[] {
  const ports = new Map<number, ForwardArgs>();
  for (const [name, { bastion, forward }] of ways) {
    if (bastion === undefined || forward === undefined) continue;
    const { port } = forward;
    const [first, ...others] = forward.through;
    const machines = [...(ports.get(port)?.machines ?? []), name];
    ports.set(port, {
      ...{ port, machines },
      through: [hopOf(first), ...others.map(hopOf)],
      last: placeOf(bastion),
    });
  }
  return [...ports.values()];
}

function hopOf(access: SshAccess): ForwardArgs["through"][number] {
  return { ...placeOf(access), ...keysOf(access) };
}

/** Where the engine is gone there is nobody to tell. */
function warn(line: string): void {
  pulumi.log.warn(line).catch(() => undefined);
}
