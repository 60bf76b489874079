import { isLocal } from "../../toolchain/host-requirements.ts";
import { Failure } from "../../host/failure.ts";
import { domains } from "../lab/domains.ts";
import type { Host } from "../lab/host.ts";
import { lines, virsh } from "../lab/host.ts";
import type { Idle, Sleeper } from "./sleeper.ts";

/** Room below which a machine that a full disk has stopped is left alone: it would fill that at once. */
const neededGiB = 1;

/** Names of a lab's machines in one of the states that `virsh list` knows. */
async function machinesIn(state: "shutoff" | "paused", host: Host, lab: string): Promise<string[]> {
  const found = lines(await virsh(host, "list", `--state-${state}`, "--name"));
  const ofLab = (await domains.find(host)).filter((thing) => thing.lab === lab);
  return ofLab.map((thing) => thing.name).filter((name) => found.includes(name));
}

export const machines: Sleeper = {
  kind: domains.kind,
  idle: async (host, lab) => (await machinesIn("shutoff", host, lab)).map((name) => ({ name })),
  start: async (host, name) => {
    await virsh(host, "start", name);
  },
};

/** A machine that libvirt or somebody has stopped in its tracks: QEMU pauses it when this host's disk is full. */
export const pausedMachines: Sleeper = {
  kind: `paused ${domains.kind}`,
  idle: async (host, lab) =>
    Promise.all(
      (await machinesIn("paused", host, lab)).map(async (name) =>
        pausedMachine(name, await pauseOf(host, lab, name)),
      ),
    ),
  start: async (host, name) => {
    await virsh(host, "resume", name);
    if ((await virsh(host, "domstate", name))?.trim() === "paused") {
      throw new Failure(
        `the machine ${name} is paused again at once: make room on this host's disk, then run again`,
      );
    }
  },
};

/** What libvirt and the host say of a machine that is paused. */
export interface Pause {
  /** As `virsh domstate --reason` has it, e.g. `paused (I/O error)`. */
  readonly state: string;
  /** As `virsh domblkerror` has it: disk and what happened to it, e.g. `vda: no space`. */
  readonly diskErrors: readonly string[];
  /** Room on the fullest of the file systems its disks are on; nothing where it is not known. */
  readonly freeGiB: number | undefined;
}

/** Why a machine is paused, and whether going on makes sense. */
export function pausedMachine(name: string, { state, diskErrors, freeGiB }: Pause): Idle {
  const reason = /\((.+)\)/.exec(state)?.[1];
  const errors = diskErrors.filter((line) => /^\S+: /.test(line));
  if (reason !== "I/O error" && errors.length === 0) {
    return reason === undefined || reason === "user" ? { name } : { name, seen: reason };
  }
  const room = freeGiB === undefined ? "" : `, ${freeGiB.toFixed(1)} GiB free where its disks are`;
  const seen = `${[reason ?? "I/O error", ...errors].join(", ")}${room}`;
  return freeGiB === undefined || freeGiB >= neededGiB
    ? { name, seen }
    : {
        name,
        seen,
        first: `make room on that disk, at least ${neededGiB} GiB (\`kindows cache prune\`, \`docker system df\`), then run this again`,
      };
}

async function pauseOf(host: Host, pool: string, name: string): Promise<Pause> {
  // Each is worth telling without the others.
  const answer = (...args: string[]): Promise<readonly string[]> =>
    virsh(host, ...args).then(lines, () => []);
  const [state, diskErrors, disks] = await Promise.all([
    answer("domstate", "--reason", name),
    answer("domblkerror", name),
    answer("domblklist", name),
  ]);
  const sources = disks.flatMap((line) => /^\S+\s+(\S.*)$/.exec(line)?.[1] ?? []);
  const files = await Promise.all(
    // A volume is listed by its name in the pool, which has the lab's.
    sources.map(async (source) =>
      source.startsWith("/") ? [source] : answer("vol-path", "--pool", pool, source),
    ),
  );
  return { state: state.join(" "), diskErrors, freeGiB: await freeGiB(host, files.flat()) };
}

async function freeGiB(host: Host, files: readonly string[]): Promise<number | undefined> {
  if (files.length === 0 || !isLocal(host.libvirtUri)) {
    return undefined;
  }
  const told = await host.run("df", ["--block-size=1", "--output=avail", ...files]).then(
    lines,
    () => [], // Not for this user's eyes.
  );
  const bytes = told.filter((line) => /^\d+$/.test(line)).map(Number);
  return bytes.length === 0 ? undefined : Math.min(...bytes) / 1024 ** 3;
}
