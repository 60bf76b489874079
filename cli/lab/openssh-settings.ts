import type { LabOutputs } from "./lab-outputs.ts";

/** The pinned host keys of machines, by their addresses and by their nodes' names. */
export function knownHosts(
  hosts: readonly Pick<LabOutputs["nodes"][number], "name" | "address" | "hostKey" | "sshPort">[],
): string {
  const lines = hosts.map(({ name, address, hostKey, sshPort = 22 }) => {
    const [type = "", key = ""] = hostKey.trim().split(/\s+/);
    const host = sshPort === 22 ? address : `[${address}]:${sshPort}`;
    return `${host},${name} ${type} ${key}\n`;
  });
  return lines.join("");
}

/**
 * Settings of OpenSSH for the machines of a lab (ssh_config(5)). ssh gets them with -F, so that neither the user's nor the
 * host's settings count: it accepts the pinned host keys only, asks nothing, and forwards nothing unless told to.
 */
export function sshConfig(
  nodes: readonly Pick<
    LabOutputs["nodes"][number],
    "name" | "address" | "sshUser" | "sshPort" | "sshKeyFile"
  >[],
  { sshKey, knownHosts }: { readonly sshKey: string; readonly knownHosts: string },
): string {
  const hosts = nodes.map(({ name, address, sshUser, sshPort, sshKeyFile }) =>
    [
      ...[`Host ${name}`, `  HostName ${address}`, `  User ${sshUser}`],
      ...(sshPort === undefined ? [] : [`  Port ${sshPort}`]),
      ...(sshKeyFile === undefined ? [] : [`  IdentityFile ${configPath(sshKeyFile)}`]),
      "",
    ].join("\n"),
  );
  return `${hosts.join("")}Host *
  IdentityFile ${configPath(sshKey)}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile ${configPath(knownHosts)}
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  BatchMode yes
  MACs -hmac-sha1*
`;
}

/** A path in ssh's settings, where blanks end a value and % begins a token. */
function configPath(file: string): string {
  return `"${file.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}

/** How ssh reaches a node by these settings. */
export function sshArguments(
  { name }: Pick<LabOutputs["nodes"][number], "name">,
  { sshConfig }: { readonly sshConfig: string },
): string[] {
  return ["-F", sshConfig, name];
}
