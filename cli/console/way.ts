import type { Screen } from "./screen.ts";

/** How one gets to a screen. */
export interface Way {
  /** For a viewer on the host of the machines. */
  readonly url: string;
  /** The same for viewers that take no URL: host, two colons, port. */
  readonly target: string;
  /** Command that brings the port to another computer. */
  readonly tunnel: string;
  /** Host of the machines, where that is not this one. */
  readonly remoteHost: string | undefined;
}

/**
 * The way to a screen. VNC listens on the loopback of the host that runs the machine and asks for no password: from
 * anywhere else SSH leads there.
 *
 * @param hostName of this host, as others may know it.
 */
export function wayTo(screen: Screen, libvirtUri: string, hostName: string, user: string): Way {
  const { address, port } = screen;
  const { hostname, username, port: sshPort } = new URL(libvirtUri);
  const reached =
    hostname === ""
      ? `${user}@${hostName}`
      : `${sshPort === "" ? "" : `-p ${sshPort} `}${username === "" ? "" : `${username}@`}${hostname}`;
  return {
    url: `vnc://${address}:${port}`,
    target: `${address}::${port}`,
    tunnel: `ssh -N -L ${port}:${address}:${port} ${reached}`,
    remoteHost: hostname === "" ? undefined : hostname,
  };
}
