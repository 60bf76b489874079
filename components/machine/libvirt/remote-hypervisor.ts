/** A libvirt on another host, and how it is logged in to. */
export interface RemoteHypervisor {
  readonly name: string;
  /** `qemu+ssh://USER@HOST[:PORT]/system`. */
  readonly uri: string;
  /** Its SSH host key, `ssh-ed25519 AAAA...`. */
  readonly hostKey: string;
  /** Private key on this host. */
  readonly privateKeyFile: string;
}

/**
 * The one line of a known_hosts file that pins the hypervisor's host key, as OpenSSH writes it: another port than 22 is
 * part of the name.
 */
export function pinnedHostKey({ uri, hostKey }: RemoteHypervisor): string {
  const { hostname, port } = new URL(uri);
  const [type = "", key = ""] = hostKey.trim().split(/\s+/);
  const name = port === "" || port === "22" ? hostname : `[${hostname}]:${port}`;
  return `${name} ${type} ${key}\n`;
}

/**
 * The address as the libvirt provider takes it, whose SSH is its own (libvirt/uri/ssh.go of 0.8.3): key and pin, and
 * nothing of an agent. A `Host` of ~/.ssh/config that fits still counts there, but for these.
 */
export function providerUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  return withQuery(hypervisor.uri, {
    knownhosts: knownHostsFile,
    keyfile: hypervisor.privateKeyFile,
    sshauth: "privkey",
  });
}

/**
 * The address as virsh takes it. Over libssh: with `qemu+ssh` libvirt runs the program ssh, which takes no file of pins
 * (https://libvirt.org/uri.html). A host with another key is refused, never asked about.
 */
export function virshUri(hypervisor: RemoteHypervisor, knownHostsFile: string): string {
  return providerUri(hypervisor, knownHostsFile)
    .replace(/^qemu\+ssh:/, "qemu+libssh:")
    .replace("?knownhosts=", "?known_hosts_verify=normal&known_hosts=");
}

function withQuery(uri: string, query: Readonly<Record<string, string>>): string {
  const parts = Object.entries(query).map(
    ([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`,
  );
  return `${uri}?${parts.join("&")}`;
}
