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
 * Opens the ports that lead to the last of several bastions, each once. The program has to run as long as they are used:
 * Pulumi's runtime ends it after the engine has done everything, including deletes.
 *
 * @param ways to the machines, by their names.
 * @throws naming every port that is already in use.
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

/** The ports, each with all machines behind it: a port always leads to the same bastion (checked with the settings). */
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

/** Logging fails if the engine is gone, which is ignored. */
function warn(line: string): void {
  pulumi.log.warn(line).catch(() => undefined);
}
