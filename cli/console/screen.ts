import { spawn } from "node:child_process";
import { once } from "node:events";

import { below, readXml } from "../../host/read-xml.ts";
import { Failure } from "../../host/failure.ts";
import { domains } from "../../components/machine/libvirt/domains.ts";
import type { Host } from "../../host/host.ts";
import { virsh } from "../../host/virsh.ts";
import type { LabIdentity } from "../stack-settings.ts";
import { findOnPath } from "../../host/search-path.ts";

interface Screen {
  readonly domain: string;
  /** Address it listens on: the loopback of its hypervisor. */
  readonly address: string;
  readonly port: number;
}

/**
 * Finds the screen of a node's machine.
 *
 * @throws Failure when the lab is not up, has no such machine, the machine is off, or it has no screen.
 */
export async function screenOf(
  host: Host,
  { stack, lab }: LabIdentity,
  node: string,
): Promise<Screen> {
  const machines = (await domains.find(host)).filter((each) => each.lab === lab);
  if (machines.length === 0) {
    throw new Failure(`the stack ${stack} has no machines: \`kindows up --stack ${stack}\``);
  }
  const domain = `${lab}-${node}`;
  const machine = machines.find(({ name }) => name === domain);
  if (machine === undefined) {
    const known = machines.map(({ name }) => name.slice(lab.length + 1)).sort();
    throw new Failure(
      `the stack ${stack} has no machine "${node}" (those there are: ${known.join(", ")})`,
    );
  }
  // The screen of a paused or hanging machine is of interest too.
  if (!/^(running|paused|idle|pmsuspended|in shutdown)$/.test(machine.state ?? "")) {
    throw new Failure(
      `the machine of ${node} is off (${machine.state}): \`kindows up --stack ${stack}\` starts it`,
    );
  }
  const described = readXml(await virsh(host, "dumpxml", domain));
  const vnc = below(described, "domain", "devices", "graphics").find(
    ({ attributes }) => attributes["type"] === "vnc",
  )?.attributes;
  const port = Number(vnc?.["port"] ?? -1);
  if (port < 1) {
    throw new Failure(
      `the machine of ${node} has no VNC screen, like all machines of a rehearsal. Its serial console: ` +
        `\`virsh -c ${host.libvirtUri} console ${domain}\``,
    );
  }
  return { domain, port, address: vnc?.["listen"] ?? "127.0.0.1" };
}

/** How to reach a screen. */
interface ScreenAccess {
  /** Address for a viewer on the machine's host. */
  readonly url: string;
  /** The same address for viewers that take no URL: host, two colons, port. */
  readonly target: string;
  readonly tunnel: string;
  /** The machine's host, if it is not this one. */
  readonly remoteHost: string | undefined;
}

/**
 * How to reach a screen. VNC listens on the loopback of the machine's host without a password, so other computers reach
 * it through SSH.
 *
 * @param hostName name of this host for other computers.
 */
export function screenAccess(
  screen: Screen,
  libvirtUri: string,
  hostName: string,
  user: string,
): ScreenAccess {
  const { address, port } = screen;
  const { hostname, username, port: sshPort } = new URL(libvirtUri);
  const [option, login] = [sshPort && `-p ${sshPort} `, username && `${username}@`];
  const reached = hostname === "" ? `${user}@${hostName}` : `${option}${login}${hostname}`;
  return {
    url: `vnc://${address}:${port}`,
    target: `${address}::${port}`,
    tunnel: `ssh -N -L ${port}:${address}:${port} ${reached}`,
    remoteHost: hostname === "" ? undefined : hostname,
  };
}

/** VNC viewers and their Debian packages; the first one that is installed is used. */
const viewers = [
  { program: "remote-viewer", debianPackage: "virt-viewer", argument: "url" },
  { program: "vncviewer", debianPackage: "tigervnc-viewer", argument: "target" },
] as const;

/**
 * Opens a viewer that outlives this program.
 *
 * @returns the viewer's name.
 * @throws Failure when no viewer is installed, or there is no display to open it on.
 */
export async function openViewer(
  access: ScreenAccess,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const hint = `to view it from another computer, run ${access.tunnel} and open ${access.url} there`;
  if (access.remoteHost !== undefined) {
    throw new Failure(`the machine's screen is on another host; run: ${access.tunnel}`);
  }
  if (!environment["DISPLAY"] && !environment["WAYLAND_DISPLAY"]) {
    throw new Failure(`there is no display to open a viewer on; ${hint}`);
  }
  for (const { program, argument } of viewers) {
    const found = await findOnPath(program, environment["PATH"] ?? "");
    if (found !== undefined) {
      const options = { detached: true, stdio: "ignore", env: environment } as const;
      const viewer = spawn(found, [access[argument]], options);
      await once(viewer, "spawn");
      viewer.unref();
      return program;
    }
  }
  const names = viewers.map(({ program }) => program).join(" nor ");
  const packages = viewers.map(({ debianPackage }) => debianPackage).join(" or ");
  throw new Failure(`neither ${names} is installed: install ${packages}; ${hint}`);
}
