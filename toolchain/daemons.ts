import { type ChildProcess, spawn } from "node:child_process";
import { chmod, chown, mkdir, open, readFile, stat, copyFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../host/failure.ts";
import { runProgram } from "../host/run-program.ts";
import type { Progress, Artifact } from "./artifact.ts";
import { ownCache } from "./own-cache.ts";
import { withLock } from "./cache-lock.ts";
import { endOfLog, ensureArtifacts, type EnsureOptions, settleAll } from "./ensure.ts";
import { joinCommand, startCommand, systemFolders, thisPackageManager } from "./host-packages.ts";
import { waitUntil } from "../host/wait-until.ts";
import { fileURLToPath } from "node:url";
import { hashSources } from "./tools/sources-hash.ts";

/** A daemon that answers, or why it does not (last line of its client's output). */
export type DaemonState =
  { readonly kind: "running" } | { readonly kind: "denied" | "silent"; readonly reason: string };

const askTimeoutSeconds = 10;

/** Asks the Docker daemon that the `docker` client uses, wherever that is. */
export async function dockerState(): Promise<DaemonState> {
  return ask("docker", ["version", "--format", "{{.Server.Version}}"], "docker");
}

/** @param uri libvirt's connection URI, e.g. `qemu:///system`. */
export async function libvirtState(uri: string): Promise<DaemonState> {
  return ask("virsh", ["--connect", uri, "uri"], "libvirt");
}

async function ask(
  client: string,
  args: readonly string[],
  group: "docker" | "libvirt",
): Promise<DaemonState> {
  const { how, stderr, reason } = await runProgram(client, args, askTimeoutSeconds);
  if (how === "well") return { kind: "running" };
  return how === "badly" ? classifyRefusal(stderr, group) : { kind: "silent", reason };
}

export function classifyRefusal(stderr: string, group: "docker" | "libvirt"): DaemonState {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const denied = lines.find((line) =>
    /permission denied|authentication (failed|unavailable)/i.test(line),
  );
  if (denied !== undefined) {
    return {
      kind: "denied",
      reason: `${denied.trim()} (run this as root, or join its group and log in again: ${joinCommand(group)})`,
    };
  }
  return { kind: "silent", reason: lines.at(-1)?.trim() ?? "it failed without a message" };
}

/** CAP_SYS_RESOURCE in linux/capability.h. */
const sysResource = 24n;

const startTimeoutSeconds = 90;

interface Daemon {
  readonly name: string;
  readonly kind: "docker" | "libvirt";
  state(): Promise<DaemonState>;
  /** Its systemd units, of which the first existing one is started. */
  readonly units: readonly string[];
  /** Starts what the daemon needs and, as the last element of the result, the daemon itself. */
  start(): Promise<readonly Started[]>;
}

interface Started {
  readonly program: string;
  readonly log: string;
  readonly process: ChildProcess;
}

/** Starts Docker if it does not answer. @throws if that fails, or it refuses this user. */
export async function ensureDocker(
  state: DaemonState,
  options: EnsureOptions & { readonly progress: Progress },
): Promise<void> {
  await ensureDaemon(
    state,
    {
      name: "Docker",
      kind: "docker",
      state: dockerState,
      units: ["docker.service"],
      start: async () => {
        if (boundingSetHasSysResource(await readFile("/proc/self/status", "utf8"))) {
          return [await startDetached("dockerd", [])];
        }
        // dockerd requests every capability for a privileged container, whose start fails if one is not available.
        const folder = (await ensureArtifacts([wrappedRuntime], options)).path(wrappedRuntime);
        const runtime = ["--add-runtime", `kindows-runc=${path.join(folder, "runc")}`];
        const args = [...runtime, "--default-runtime", "kindows-runc"];
        return [await startDetached("dockerd", args)];
      },
    },
    options.progress,
  );
}

/** Starts libvirt if it does not answer. @param uri connection URI; a remote libvirt is never started. */
export async function ensureLibvirt(uri: string, state: DaemonState, say: Progress): Promise<void> {
  await ensureDaemon(
    state,
    {
      name: `libvirt (${uri})`,
      kind: "libvirt",
      state: () => libvirtState(uri),
      units: ["libvirtd.service", "virtqemud.service"],
      start: async () => {
        if (!uri.endsWith(":///system")) {
          throw new Error("it is not the system connection of this host: start it there");
        }
        await giveKvmToItsGroup();
        // virtlogd logs machines' consoles; systemd would start it on demand.
        return [await startDetached("virtlogd", []), await startDetached("libvirtd", [])];
      },
    },
    say,
  );
}

/** Starts both. If both refuse the user, the error names both groups, so that one new login is enough. */
export async function ensureDaemons(
  libvirtUri: string,
  states: { readonly docker: DaemonState; readonly libvirt: DaemonState },
  options: EnsureOptions & { readonly progress: Progress },
): Promise<void> {
  await settleAll([
    ensureDocker(states.docker, options),
    ensureLibvirt(libvirtUri, states.libvirt, options.progress),
  ]);
}

async function ensureDaemon(state: DaemonState, daemon: Daemon, say: Progress): Promise<void> {
  if (state.kind === "running") return;
  if (state.kind === "denied") throw new Error(`${daemon.name} runs, but refuses: ${state.reason}`);
  if (process.getuid?.() !== 0) {
    const command = startCommand(daemon.kind, await thisPackageManager());
    throw new Error(
      `${daemon.name} does not run (${state.reason}). Start it, or run this as root: ${command}`,
    );
  }
  // If two processes start the daemon, the second daemon exits at once.
  const lock = path.join(ownCache(), "locks", `start-${daemon.kind}`);
  await withLock(lock, startTimeoutSeconds, async () => {
    if ((await daemon.state()).kind === "running") return;
    say(`starting ${daemon.name}`);
    await startDaemon(daemon);
  });
}

async function startDaemon(daemon: Daemon): Promise<void> {
  const started = (await hasSystemd()) ? await startUnit(daemon) : await daemon.start();
  const wait = {
    what: `${daemon.name} to answer`,
    timeoutSeconds: startTimeoutSeconds,
    pollMilliseconds: 200,
  };
  try {
    const ended = await waitUntil<string | undefined>(wait, async () => {
      const end = endOf(started.at(-1));
      const now = await daemon.state();
      if (now.kind === "running") return { found: undefined };
      return end === undefined ? now.reason : { found: `${end}; last seen: ${now.reason}` };
    });
    if (ended !== undefined) throw new Error(ended);
  } catch (error) {
    const ends = await Promise.all(
      started.map(async ({ log }) => `end of ${log}:\n${await endOfLog(log, 10)}`),
    );
    throw new Error([messageOf(error), ...ends].join("\n"), { cause: error });
  }
}

function endOf(started: Started | undefined): string | undefined {
  if (started === undefined) return undefined;
  const { exitCode, signalCode } = started.process;
  const how = signalCode ?? exitCode;
  return how === null ? undefined : `${started.program} has ended (${how})`;
}

async function hasSystemd(): Promise<boolean> {
  return (await stat("/run/systemd/system").catch(() => undefined)) !== undefined;
}

/** Returns no process to watch: systemd supervises the unit and keeps its log. */
async function startUnit(daemon: Daemon): Promise<readonly Started[]> {
  const reasons: string[] = [];
  for (const unit of daemon.units) {
    const { how, reason } = await runProgram("systemctl", ["start", unit], startTimeoutSeconds);
    if (how === "well") return [];
    reasons.push(reason);
  }
  throw new Error(`systemd could not start ${daemon.name}: ${reasons.join("; ")}`);
}

/** Starts a program that outlives this process and shares nothing with it. */
async function startDetached(program: string, args: readonly string[]): Promise<Started> {
  const folder = path.join(ownCache(), "logs");
  await mkdir(folder, { recursive: true });
  const log = path.join(folder, `${program}.log`);
  const file = await open(log, "a", 0o600);
  try {
    const child = spawn(program, args, {
      detached: true,
      cwd: "/",
      stdio: ["ignore", file.fd, file.fd],
      env: {
        PATH: `${process.env.PATH ?? ""}:${systemFolders}:/usr/bin:/bin`,
        HOME: "/root",
        LANG: "C.UTF-8",
      },
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
    return { program, log, process: child };
  } finally {
    await file.close();
  }
}

export function boundingSetHasSysResource(status: string): boolean {
  const mask = /^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (mask === undefined) throw new Error("/proc/self/status has no CapBnd line: is this Linux?");
  return ((BigInt(`0x${mask}`) >> sysResource) & 1n) === 1n;
}

/**
 * Gives /dev/kvm to the group kvm, as udev does. libvirt detects QEMU's capabilities as root, but caches them only if
 * QEMU's own user may use KVM too. Otherwise it detects them at every call, which takes four to eight seconds
 * (virQEMUCapsIsValid).
 */
async function giveKvmToItsGroup(): Promise<void> {
  const device = "/dev/kvm";
  const found = await stat(device).catch(() => undefined);
  if (found === undefined || found.gid !== 0 || (found.mode & 0o777) !== 0o600) return;
  const { stdout } = await runProgram("getent", ["group", "kvm"], 10);
  const gid = Number(stdout.split(":")[2]);
  if (!Number.isInteger(gid)) return;
  await chown(device, 0, gid);
  await chmod(device, 0o660);
}

const source = fileURLToPath(new URL("runc-without-sys-resource.sh", import.meta.url));

export const wrappedRuntime: Artifact = {
  name: "container-runtime",
  needs: [],
  hostPackages: ["jq"],
  inputs: async () => ({ source: await hashSources(path.dirname(source), [source]) }),
  build: async (into) => {
    await copyFile(source, path.join(into, "runc"));
    await chmod(path.join(into, "runc"), 0o755);
  },
};
