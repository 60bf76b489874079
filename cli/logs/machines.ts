import * as z from "zod";

import type { SshSource } from "../../ssh/run-over-ssh.ts";
import { remoteSteps } from "../../components/windows/remote-steps.ts";
import type { Deployment, StateResource } from "../recovery/deployment.ts";
import { resourcesOf } from "../recovery/deployment.ts";

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
 */
export function logSources(deployment: Deployment): LogSource[] {
  return resourcesOf(deployment).flatMap((resource) => sourceOf(resource) ?? []);
}

function sourceOf({ urn, type, inputs = {}, ...rest }: StateResource): LogSource | undefined {
  const node = /::([^:]+)-steps$/.exec(urn)?.[1];
  if (type !== "command:remote:Command" || node === undefined || rest.delete === true) {
    return undefined;
  }
  const connection = connectionSchema.safeParse(revealed(inputs["connection"]));
  return connection.success
    ? { node, ...connection.data, scripts: `${remoteSteps}\\Export-NodeLog` }
    : undefined;
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
