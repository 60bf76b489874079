import type { HostResource } from "../../components/host-resource.ts";
import { listedMachines } from "../../components/machine/machine-makers.ts";
import { messageOf, throwAll } from "../../host/failure.ts";
import type { Host } from "../../host/host.ts";
import { runOn, type SshSource, overSsh } from "../../host/ssh/run-over-ssh.ts";
import { runOnWindows } from "../../host/ssh/windows-command.ts";
import { virsh } from "../../host/virsh.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { type Container, containers } from "../host-resources/containers.ts";
import { registries } from "../host-resources/registries.ts";

/** A node's machine or container of the lab, running or not. */
export interface Part {
  readonly node: string;
  readonly isRunning: boolean;
  readonly resource: HostResource | Container;
}

/** Whether it becomes Ready: not a load balancer, nor a registry. */
export function isNode({ resource }: Part): boolean {
  return !("role" in resource) || ["control-plane", "worker"].includes(resource.role);
}

/** How a node's machine is asked to shut down. */
export interface Asked {
  readonly os: "windows" | "linux";
  readonly source: SshSource;
}

/** The machines and containers that the lab made on the host, and on its other hypervisors. */
export async function partsOf(host: Host, lab: string): Promise<readonly Part[]> {
  const [machines, nodes, others] = await Promise.all([
    listedMachines(host),
    containers.find(host),
    registries.find(host),
  ]);
  const named = (all: readonly HostResource[], node: (name: string) => string): Part[] =>
    all
      .filter((each) => each.lab === lab)
      .map((resource) => ({
        node: node(resource.name),
        isRunning: resource.state === "running" || resource.state === "paused",
        resource,
      }));
  return [
    ...named(machines, (name) => name.slice(lab.length + 1)),
    ...named([...nodes, ...others], (name) => name),
  ];
}

/** Time limits, in seconds: of the connection, of Windows' own shutdown, and of a container's processes. */
const [connectSeconds, shutdownSeconds, containerSeconds] = [20, 180, 30];

/**
 * Turns off machines, and then containers: Windows can tell the API server until the end that it goes.
 *
 * A machine shuts down by itself. One that cannot be asked, or does not end in time, is powered off, which is said.
 *
 * @param asked how each machine is asked, by the node; one without an entry is powered off.
 * @throws after trying all, with everything that still runs.
 */
export async function turnOff(
  host: Host,
  parts: readonly Part[],
  asked: ReadonlyMap<string, Asked>,
  say: (line: string) => void,
): Promise<void> {
  const running = parts.filter(({ isRunning }) => isRunning);
  const isContainer = ({ resource }: Part): boolean => "role" in resource;
  const troubles: string[] = [];
  await Promise.all(
    running
      .filter((part) => !isContainer(part))
      .map(async ({ node, resource: { name } }) => {
        try {
          await turnMachineOff(host, node, name, asked.get(node), say);
          say(`${node} is off`);
        } catch (error) {
          troubles.push(`${node}: ${messageOf(error)}`);
        }
      }),
  );
  const names = running.filter(isContainer).map(({ resource }) => resource.name);
  if (names.length > 0) {
    try {
      await host.run("docker", ["stop", "--time", String(containerSeconds), ...names]);
      names.forEach((name) => say(`${name} is off`));
    } catch (error) {
      troubles.push(messageOf(error));
    }
  }
  throwAll("not everything could be turned off", troubles);
}

async function turnMachineOff(
  host: Host,
  node: string,
  domain: string,
  asked: Asked | undefined,
  say: (line: string) => void,
): Promise<void> {
  try {
    if (asked === undefined) throw new Error("nothing is known of how to log in to it");
    await askToShutDown(asked);
    say(`${node} shuts down`);
    const wait = { what: `${node} to shut down`, timeoutSeconds: shutdownSeconds };
    await waitUntil(wait, async () => {
      const state = (await virsh(host, "domstate", domain)).trim();
      return state === "shut off" ? undefined : state;
    });
  } catch (error) {
    say(`${node} is powered off: ${messageOf(error)}`);
    await virsh(host, "destroy", domain);
  }
}

/** The machine goes a moment later, so that the session ends before. */
async function askToShutDown({ os, source }: Asked): Promise<void> {
  const { exitCode, stderr } = await overSsh(source, connectSeconds, (client, signal) =>
    os === "windows"
      ? runOnWindows(client, "shutdown.exe /s /f /t 2", signal)
      : runOn(client, "(sleep 2; systemctl poweroff) >/dev/null 2>&1 &", signal),
  );
  if (exitCode !== 0) throw new Error(`it refuses to shut down: ${stderr.trim()}`);
}
