import { Failure } from "../../host/failure.ts";
import { type Host, thisHost } from "../../host/host.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { stackExists } from "../engine/states.ts";
import { startDaemons } from "../host-resources/stopped.ts";
import { say } from "../progress.ts";
import { labIdentity } from "../stack-settings.ts";
import { assertNotTheirs } from "./claim.ts";
import { assertNothingForeign } from "./proof.ts";

/** A stack's lab on this host. */
export interface OwnLab {
  readonly stack: string;
  /** Prefix of its names. */
  readonly lab: string;
  readonly host: Host;
}

interface OwnLabOptions {
  /** Whether Docker and libvirt are started first, without which the lab cannot be examined. Default: no. */
  readonly startsDaemons?: boolean;
  /** Whether it must have been up, so that there is something of it. Default: no. */
  readonly wasUp?: boolean;
}

/**
 * Works on a stack's lab, as the only command that changes it.
 *
 * @throws Failure before, if the lab or something with its name is another's.
 */
export async function onOwnLab(
  stack: string,
  { startsDaemons = false, wasUp = false }: OwnLabOptions,
  work: (own: OwnLab) => Promise<void>,
): Promise<void> {
  const identity = await labIdentity(stack);
  const { lab, libvirtUri } = identity;
  const host = thisHost(identity);
  await assertNotTheirs(lab, stack);
  if (wasUp && !(await stackExists(stack))) {
    throw new Failure(`the stack ${stack} is not up: \`kindows up --stack ${stack}\``);
  }
  await asOnlyRun(stack, async () => {
    if (startsDaemons) await startDaemons(libvirtUri, say);
    await assertNothingForeign(stack, lab, host);
    await work({ stack, lab, host });
  });
}
