import type { SshServer } from "../existing/machine-parameter.ts";
import type { RemoteHypervisorSettings } from "./settings.ts";

/** A libvirt on another host, and how to log in to it. */
export type RemoteHypervisor = Pick<
  RemoteHypervisorSettings,
  "name" | "uri" | "hostKey" | "privateKeyFile"
>;

type HypervisorServer = SshServer & Pick<RemoteHypervisor, "privateKeyFile">;

/** The SSH server of a hypervisor; undefined for this host. */
export function sshServerOf(
  name: string,
  { hypervisors }: { readonly hypervisors: readonly RemoteHypervisor[] },
): HypervisorServer | undefined {
  const hypervisor = hypervisors.find((one) => one.name === name);
  return hypervisor && sshServer(hypervisor);
}

function sshServer({ uri, hostKey, privateKeyFile }: RemoteHypervisor): HypervisorServer {
  const { hostname, port, username } = new URL(uri);
  return {
    host: hostname,
    port: port === "" ? 22 : Number(port),
    user: decodeURIComponent(username),
    hostKey,
    privateKeyFile,
  };
}

/**
 * The line of a known_hosts file that pins the hypervisor's host key, in OpenSSH's format: the name includes the port
 * if it is not 22.
 */
export function pinnedHostKey(hypervisor: RemoteHypervisor): string {
  const { host, port, hostKey } = sshServer(hypervisor);
  const [type = "", key = ""] = hostKey.trim().split(/\s+/);
  const name = port === 22 ? host : `[${host}]:${port}`;
  return `${name} ${type} ${key}\n`;
}

/**
 * The URI for the libvirt provider, which has its own SSH client (libvirt/uri/ssh.go of 0.8.3). It names the key and
 * the known_hosts file, and excludes the agent. The client still reads other settings of a matching `Host` in
 * ~/.ssh/config.
 */
export function providerUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  const [pins, key] = [knownHostsFile, hypervisor.privateKeyFile].map((file) =>
    encodeURIComponent(file).replaceAll("%2F", "/"),
  );
  return `${hypervisor.uri}?knownhosts=${pins}&keyfile=${key}&sshauth=privkey`;
}

/**
 * The URI for virsh. It uses libssh, because with `qemu+ssh` libvirt runs the program ssh and cannot pass it a
 * known_hosts file (https://libvirt.org/uri.html). A host with another key is refused without a prompt.
 */
export function virshUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  return providerUri(hypervisor, knownHostsFile)
    .replace(/^qemu\+ssh:/, "qemu+libssh:")
    .replace("?knownhosts=", "?known_hosts_verify=normal&known_hosts=");
}
