import { fingerprint, learnHostKey } from "../../ssh/host-key.ts";
import { hostName } from "../../config/values/dns-name.ts";
import { Failure, exitCodes, messageOf } from "../../host/failure.ts";

export interface HostKeyOptions {
  readonly host: string;
  /** SSH port. */
  readonly port: number;
}

/**
 * `kindows host-key`: prints a machine's host key, to be compared once and pinned in the settings.
 *
 * @throws Failure if nothing answers there.
 */
export async function hostKey({ host, port }: HostKeyOptions): Promise<number> {
  const wrongHost = hostName(host);
  if (wrongHost !== undefined) {
    throw new Failure(`${host} ${wrongHost.why}. ${wrongHost.instead}`);
  }
  let key: string;
  try {
    key = await learnHostKey(host, port);
  } catch (error) {
    throw new Failure(`no host key from ${host}:${port}: ${messageOf(error)}`);
  }
  process.stdout.write(`${key}\n`);
  process.stderr.write(
    `${fingerprint(key)}: compare it once on the machine's own console, by ssh-keygen -lf C:\\ProgramData\\ssh\\ssh_host_ed25519_key.pub\n`,
  );
  return exitCodes.ok;
}
