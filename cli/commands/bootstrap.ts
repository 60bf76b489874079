import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { hostName } from "../../config/values/dns-name.ts";
import { hostKey as publicKeyComplaint } from "../../config/values/host-key.ts";
import { bootstrapLines } from "../existing/bootstrap-lines.ts";
import { Failure, exitCodes } from "../../host/failure.ts";

export interface BootstrapOptions {
  /** Address or name of the machine. */
  readonly host: string;
  /** File of the public key that shall log in. Default: ~/.ssh/id_ed25519.pub. */
  readonly key?: string;
}

/**
 * `kindows bootstrap`: prints what turns on OpenSSH on a Windows Server that has only a console or WinRM. Does nothing
 * itself.
 *
 * @throws Failure for a host that is none, and a file that holds no public key.
 */
export async function bootstrap({ host, key }: BootstrapOptions): Promise<number> {
  const wrongHost = hostName(host);
  if (wrongHost !== undefined) {
    throw new Failure(`${host} ${wrongHost.why}. ${wrongHost.instead}`);
  }
  const file = path.resolve(key ?? path.join(os.homedir(), ".ssh", "id_ed25519.pub"));
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      `${file} cannot be read (${error.code ?? ""}): name the public key with --key, or make one with ssh-keygen -t ed25519`,
    );
  });
  const publicKey = text.trim();
  if (publicKeyComplaint(publicKey) !== undefined || publicKey.includes("'")) {
    throw new Failure(
      `${file} holds no public key on one line, ssh-ed25519 AAAA...: name the file that ends with .pub`,
    );
  }
  process.stdout.write(`${bootstrapLines(publicKey).join("\n")}\n`);
  process.stderr.write(
    `Run these on ${host} in PowerShell as Administrator, at its console, or by WinRM: Invoke-Command -ComputerName ${host} ` +
      `-Credential (Get-Credential) -ScriptBlock { ... }\n` +
      `The last one prints the machine's host key for kindows:nodes[].hostKey.\n`,
  );
  return exitCodes.ok;
}
