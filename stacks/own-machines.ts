import { RunError } from "@pulumi/pulumi/errors.js";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { messageOf } from "../host/failure.ts";
import { existingMachine, type MachineAccess, machineAccess } from "./existing-machines.ts";
import type { NodePrograms, StackMachine } from "./joined-node.ts";
import { openForwards, readKeys, throwIfAny } from "./machine-logins.ts";

/**
 * The machines of a lab that are there already: claimed and reset as those of a stack of existing machines.
 *
 * @throws RunError, which Pulumi prints without a stack trace, if keys or bastions can't be used.
 */
export async function ownMachines(
  nodes: readonly ExistingNode[],
  programs: Pick<NodePrograms, "software">,
): Promise<StackMachine[]> {
  const access = isPreviewAnywhere()
    ? () => undefined
    : await loginsTo(nodes).catch((error: unknown) => {
        throw new RunError(messageOf(error));
      });
  return nodes.map((node) => {
    const { port: sshPort, privateKeyFile: sshKeyFile } = node.login;
    const machine = existingMachine(node, access(node), programs);
    return { ...machine, ssh: { sshPort, ...(sshKeyFile !== undefined && { sshKeyFile }) } };
  });
}

async function loginsTo(
  nodes: readonly ExistingNode[],
): Promise<(node: ExistingNode) => MachineAccess> {
  const keys = readKeys(nodes.flatMap(({ login }) => [login, ...login.bastions]));
  throwIfAny("some things that the settings name cannot be used", keys.problems);
  const access = (node: ExistingNode): MachineAccess => machineAccess(node, keys.of);
  // A preview connects to no machine.
  if (!isDryRun()) await openForwards(nodes.map((node) => [node.name, access(node)] as const));
  return access;
}
