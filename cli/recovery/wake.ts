import { clusterLabel } from "../../config/names.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import type { Host } from "../lab/host.ts";
import { lines, virsh } from "../lab/host.ts";
import type { Extent } from "./forget.ts";
import { machines, pausedMachines } from "./machine-sleepers.ts";
import { leases, lostBridges, networks, ports, takenBridges } from "./segment-sleepers.ts";
import type { Idle, Sleeper } from "./sleeper.ts";

const pools: Sleeper = {
  kind: "libvirt pool",
  idle: async (host, lab) =>
    lines(await virsh(host, "pool-list", "--inactive", "--name"))
      .filter((name) => name === lab)
      .map((name) => ({ name })),
  start: async (host, name) => {
    await virsh(host, "pool-build", name).catch(() => undefined); // Its folder is there already.
    await virsh(host, "pool-start", name);
  },
};

/** Names of the containers of a lab's cluster in one of Docker's states. */
async function containersIn(
  state: "exited" | "paused",
  host: Host,
  lab: string,
): Promise<readonly Idle[]> {
  const listed = await host.run("docker", [
    ...["ps", "--all", "--filter", `status=${state}`, "--format", "{{.Names}}"],
    ...["--filter", `label=${clusterLabel}=${lab}`],
  ]);
  // Docker gives the lowest free address to the one that starts first, and the control plane had that.
  return lines(listed)
    .toSorted()
    .map((name) => ({ name }));
}

const containers: Sleeper = {
  kind: "docker container",
  idle: async (host, lab) => containersIn("exited", host, lab),
  start: async (host, name) => {
    await host.run("docker", ["start", name]);
  },
};

const pausedContainers: Sleeper = {
  kind: "paused docker container",
  idle: async (host, lab) => containersIn("paused", host, lab),
  start: async (host, name) => {
    await host.run("docker", ["unpause", name]);
  },
};

/** In the order they need each other. For removing a lab only its pool must run: it deletes the disks. */
const sleepers = {
  "built-on": [
    ...[pools, takenBridges, networks, lostBridges, leases],
    ...[containers, pausedContainers, machines, pausedMachines, ports],
  ],
  "deleted-with": [pools],
} satisfies Record<Extent, readonly Sleeper[]>;

/** Something that a lab has on this host, and that does not run. */
export interface Asleep extends Idle {
  readonly kind: string;
  /** What is done about it, e.g. `start`. */
  readonly verb: string;
}

/** What of a lab stands still, and what could not be looked for. */
export interface AsleepSeen {
  readonly asleep: readonly Asleep[];
  readonly blind: readonly { readonly kind: string; readonly reason: string }[];
}

/** What of a lab stands still; changes nothing. One kind that cannot be seen does not hide the others. */
export async function asleepOf(lab: string, host: Host): Promise<AsleepSeen> {
  const found = await Promise.all(
    sleepers["built-on"].map(async ({ kind, verb, idle }) => {
      try {
        const seen = await idle(host, lab);
        return { asleep: seen.map((each) => ({ kind, verb: verbOf(verb), ...each })), blind: [] };
      } catch (error) {
        return { asleep: [], blind: [{ kind, reason: messageOf(error) }] };
      }
    }),
  );
  return {
    asleep: found.flatMap(({ asleep }) => asleep),
    blind: found.flatMap(({ blind }) => blind),
  };
}

/**
 * Starts what a lab has on this host but what does not run, as after a reboot: the engine only looks at whether it
 * exists.
 *
 * @param say Gets one line for each thing that was started.
 * @throws with all that could not be started, or needs a person first and was not touched; after everything else was.
 */
export async function wakeLab(
  lab: string,
  host: Host,
  extent: Extent,
  say: (line: string) => void,
): Promise<void> {
  const troubles: string[] = [];
  for (const { kind, verb, idle, start } of sleepers[extent]) {
    try {
      for (const { name, seen, first } of await idle(host, lab)) {
        if (first === undefined) {
          await start(host, name, lab);
          say(`${verb?.[1] ?? "started"} ${kind} ${name}`);
        } else {
          troubles.push(`${kind} ${name}: ${seen ?? "it stands still"}; ${first}`);
        }
      }
    } catch (error) {
      troubles.push(`${kind}: ${messageOf(error)}`);
    }
  }
  if (troubles.length > 0) {
    throw new Failure(
      `not all of the lab ${lab} could be started:\n${troubles.map((each) => `  - ${each}`).join("\n")}`,
    );
  }
}

function verbOf(verb: Sleeper["verb"]): string {
  return verb?.[0] ?? "start";
}
