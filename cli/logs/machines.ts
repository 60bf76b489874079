import * as z from "zod";

import type { SshSource } from "../../ssh/run-over-ssh.ts";
import { remoteSteps } from "../../components/windows/remote-steps.ts";
import { resourcesOf, type Deployment, type StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";

/** A machine whose step scripts are there to be run. */
export interface LogSource extends SshSource {
  /** Node name. */
  readonly node: string;
  /** Folder of the script that exports them on the machine, as Windows writes it. */
  readonly scripts: string;
}

const connectionSchema = z.object({
  host: z.string(),
  port: z.number().default(22),
  user: z.string(),
  privateKey: z.string(),
  hostKey: z.string(),
});

/** How the engine marks a secret in an export with `--show-secrets`. */
const secretSchema = z.object({
  "4dabf18193072939515e22adb298388d": z.literal("1b47061264138c4ac30d75fd1eb44270"),
  plaintext: z.string(),
});

/**
 * The machines that have their step scripts, from an export of the state that shows secrets: it knows them also where
 * an `up` failed, and the stack's outputs do not.
 *
 * @throws Failure when an earlier version has written the state.
 */
export function logSources(deployment: Deployment): LogSource[] {
  const resources = resourcesOf(deployment).filter((each) => each.delete !== true);
  const facts = new StackFacts(resources);
  const machines = facts.machines();
  return [...facts.of("kindows:windows:WindowsNode")].flatMap(([urn, { node }]) => {
    const machine = resources.find((each) => each.urn === machines.get(node));
    const { data } = connectionSchema.safeParse(revealed(machine?.outputs?.["connection"]));
    // The first command on a machine unpacks the scripts.
    return data !== undefined && stepsOf(resources, urn).length > 0
      ? [{ node, ...data, scripts: `${remoteSteps}\\Export-NodeLog` }]
      : [];
  });
}

/** Commands that were run for a node on its machine. */
export function stepsOf(
  resources: readonly StateResource[],
  component: string,
): readonly StateResource[] {
  return resources.filter(
    ({ type, parent }) => type === "command:remote:Command" && parent === component,
  );
}

/** A value of a state that shows secrets, with each secret as it is. */
export function revealed(value: unknown): unknown {
  const secret = secretSchema.safeParse(value);
  if (secret.success) {
    return revealed(JSON.parse(secret.data.plaintext));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]));
  }
  return value;
}
