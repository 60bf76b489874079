/** A machine as its host key is pinned. */
export interface PinnedHost {
  readonly name: string;
  readonly address: string;
  /** `ssh-ed25519 AAAA...`, with or without a comment. */
  readonly hostKey: string;
}

/** Lines of a known_hosts file: each machine by address and by name. */
export function knownHosts(hosts: readonly PinnedHost[]): string {
  return hosts
    .map(({ name, address, hostKey }) => {
      const [type = "", key = ""] = hostKey.trim().split(/\s+/);
      return `${address},${name} ${type} ${key}\n`;
    })
    .join("");
}
