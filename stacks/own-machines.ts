import { RunError } from "@pulumi/pulumi/errors.js";
import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { messageOf } from "../host/failure.ts";
import { type MachineAccess, machineAccess } from "./existing-cluster.ts";
import { openForwards, readKeys, throwIfAny } from "./machine-logins.ts";

/**
 * How to log in to the machines of a lab that are there already; a preview that must work anywhere reads no keys.
 *
 * @throws RunError, which Pulumi prints without a stack trace, if keys or bastions can't be used.
 */
export async function loginsTo(
  nodes: readonly ExistingNode[],
): Promise<(node: ExistingNode) => MachineAccess | undefined> {
  if (isPreviewAnywhere()) return () => undefined;
  try {
    const keys = readKeys(nodes.flatMap(({ login }) => [login, ...login.bastions]));
    throwIfAny("some things that the settings name cannot be used", keys.problems);
    const access = (node: ExistingNode): MachineAccess => machineAccess(node, keys.of);
    // A preview connects to no machine.
    if (!isDryRun()) await openForwards(nodes.map((node) => [node.name, access(node)] as const));
    return access;
  } catch (error) {
    throw new RunError(messageOf(error));
  }
}
