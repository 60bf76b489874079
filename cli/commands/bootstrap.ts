import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { hostName } from "../../config/values/dns-name.ts";
import { hostKey as publicKeyComplaint } from "../../config/values/host-key.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { fingerprint, learnHostKey } from "../../host/ssh/host-key.ts";

interface Machine {
  readonly host: string;
}

function requireHostName(host: string): void {
  const wrong = hostName(host);
  if (wrong !== undefined) throw new Failure(`${host} ${wrong.why}. ${wrong.instead}`);
}

/** `kindows bootstrap`: prints commands that turn on OpenSSH on a Windows Server with only a console or WinRM. */
export async function bootstrap({ host, key }: Machine & { readonly key?: string }): Promise<void> {
  requireHostName(host);
  const file = path.resolve(key ?? path.join(os.homedir(), ".ssh", "id_ed25519.pub"));
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      `${file} cannot be read (${error.code ?? ""}): name the public key with --key, or make one with ssh-keygen -t ed25519`,
    );
  });
  const publicKey = authorizedKey(text);
  if (publicKey === undefined) {
    throw new Failure(
      `${file} is not a public key on one line (ssh-ed25519 AAAA...): name the file that ends with .pub`,
    );
  }
  process.stdout.write(`${bootstrapLines(publicKey).join("\n")}\n`);
  process.stderr.write(
    `Run these on ${host} in PowerShell as Administrator, at its console, or by WinRM: Invoke-Command -ComputerName ${host} ` +
      `-Credential (Get-Credential) -ScriptBlock { ... }\n` +
      `The last one prints the machine's host key for kindows:nodes[].hostKey.\n`,
  );
}

/**
 * A public key without its comment, which anybody may have written. PowerShell takes several characters for quotes that
 * would end the text here, and what follows for commands.
 */
export function authorizedKey(text: string): string | undefined {
  const publicKey = text.trim();
  const [type = "", data = ""] = publicKey.split(/\s+/);
  return publicKeyComplaint(publicKey) === undefined && /^[A-Za-z0-9+/]+=*$/.test(data)
    ? `${type} ${data}`
    : undefined;
}

/**
 * PowerShell lines that turn on OpenSSH on a Windows Server and authorize a key for its administrators, as in
 * Microsoft's "Get started with OpenSSH for Windows". They also work if OpenSSH is already on, and keep existing keys.
 */
export function bootstrapLines(publicKey: string): readonly string[] {
  const keys = "C:\\ProgramData\\ssh\\administrators_authorized_keys";
  return [
    "$ErrorActionPreference = 'Stop'",
    // Server 2025 has it already; 2019 and 2022 get it from Windows Update, or from a Features on Demand source.
    "if (-not (Get-Service sshd -ErrorAction SilentlyContinue)) { Add-WindowsCapability -Online -Name 'OpenSSH.Server~~~~0.0.1.0' }",
    // The first start of sshd creates the folder and the host keys.
    "Set-Service sshd -StartupType Automatic; Start-Service sshd",
    // An empty line first, because the last one of a file that somebody wrote by hand may not be ended.
    `Add-Content -LiteralPath '${keys}' -Encoding ascii -Value '', '${publicKey}'`,
    // sshd rejects a file that others may write. Groups are given by SID, because their names are localized.
    `icacls '${keys}' /inheritance:r /grant '*S-1-5-32-544:F' /grant '*S-1-5-18:F'`,
    "if (-not (Get-NetFirewallRule -Name kindows-ssh -ErrorAction SilentlyContinue)) { New-NetFirewallRule -Name kindows-ssh -DisplayName 'SSH' -Direction Inbound -Protocol TCP -LocalPort 22 -Action Allow -Profile Any }",
    "Get-Content C:\\ProgramData\\ssh\\ssh_host_ed25519_key.pub",
  ];
}

/** `kindows host-key`: prints a machine's host key, to be compared once and pinned in the settings. */
export async function hostKey({ host, port }: Machine & { readonly port: number }): Promise<void> {
  requireHostName(host);
  const key = await learnHostKey(host, port).catch((error: unknown) => {
    throw new Failure(`no host key from ${host}:${port}: ${messageOf(error)}`);
  });
  process.stdout.write(`${key}\n`);
  process.stderr.write(
    `${fingerprint(key)}: compare it once with the one that the machine's own console prints for ssh-keygen -lf C:\\ProgramData\\ssh\\ssh_host_ed25519_key.pub\n`,
  );
}
