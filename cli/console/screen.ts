import { below, readXml } from "../../host/read-xml.ts";
import { Failure } from "../../host/failure.ts";
import { domains } from "../host-resources/domains.ts";
import { virsh, type Host } from "../lab/host.ts";
import type { LabIdentity } from "../stack-settings.ts";

/** Where a machine's screen can be seen. */
export interface Screen {
  /** libvirt domain. */
  readonly domain: string;
  /** Address it listens on, as its hypervisor sees it; the loopback of that host. */
  readonly address: string;
  /** TCP port there. */
  readonly port: number;
}

/**
 * Finds the screen of a node's machine.
 *
 * @throws Failure when the lab is not up, has no such machine, the machine is off, or it has no screen.
 */
export async function screenOf(
  host: Host,
  { stack, names }: LabIdentity,
  node: string,
): Promise<Screen> {
  const machines = (await domains.find(host)).filter(({ lab }) => lab === names.prefix);
  if (machines.length === 0) {
    throw new Failure(`the stack ${stack} has no machines: \`kindows up --stack ${stack}\``);
  }
  const domain = `${names.prefix}-${node}`;
  const machine = machines.find(({ name }) => name === domain);
  if (machine === undefined) {
    const known = machines.map(({ name }) => name.slice(names.prefix.length + 1)).sort();
    throw new Failure(
      `the stack ${stack} has no machine "${node}" (those there are: ${known.join(", ")})`,
    );
  }
  // One that is paused, or hangs, is what one wants to look at.
  if (!/^(running|paused|idle|pmsuspended|in shutdown)$/.test(machine.state ?? "")) {
    throw new Failure(
      `the machine of ${node} is off (${machine.state}): \`kindows up --stack ${stack}\` starts it`,
    );
  }
  const described = readXml((await virsh(host, "dumpxml", domain)) ?? "");
  const vnc = below(described, "domain", "devices", "graphics").find(
    ({ attributes }) => attributes["type"] === "vnc",
  )?.attributes;
  const port = Number(vnc?.["port"] ?? -1);
  if (port < 1) {
    throw new Failure(
      `the machine of ${node} has no screen on VNC, as those of a rehearsal. Its serial console: ` +
        `\`virsh -c ${host.libvirtUri} console ${domain}\``,
    );
  }
  return { domain, port, address: vnc?.["listen"] ?? "127.0.0.1" };
}
