import { linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ssh2 from "ssh2";
import { Drive } from "../../rehearsal/machine/drive.ts";
import type { FaultSetting } from "../../rehearsal/machine/faults.ts";
import { type FakeCluster, RecordingCluster } from "./fake-cluster.ts";
import { type FakeMedia, writeFakeMedia } from "./fake-media.ts";
import { FakePrograms } from "./fake-programs.ts";
import { generateEd25519 } from "../../host/ssh/generate-ed25519.ts";
import type { MachineTime } from "../../rehearsal/machine/machine-time.ts";
import { type RunningMachine, startMachine } from "../../rehearsal/machine/start-machine.ts";
import { started, stopped } from "../left-running.ts";
import { ownAddress, ownPort } from "../own-address.ts";
import { loadState } from "../../rehearsal/machine/state.ts";
import type { WindowsMachine } from "../../rehearsal/machine/windows-machine.ts";
import type { WindowsVersion } from "../../rehearsal/machine/windows-version.ts";
import { VirtualTime } from "./virtual-time.ts";

export interface RehearsedMachineOptions {
  readonly hostName: string;
  /** `ssh-ed25519 AAAA...` lines of keys that may log in as Administrator. */
  readonly authorizedKeys: readonly string[];
  /** OpenSSH PEM of an ed25519 key. Default: a new one. */
  readonly hostPrivateKey?: string;
  /** Cluster that its node joins. Default: a RecordingCluster. */
  readonly cluster?: FakeCluster;
  readonly faults?: readonly FaultSetting[];
  readonly version?: WindowsVersion;
  /** Folder whose content is on its drive from the start. Default: an empty drive. */
  readonly drive?: string | undefined;
}

/** A rehearsed machine with fake programs on a loopback address, whose drive C: is a temporary folder. */
export interface RehearsedMachine {
  readonly address: string;
  readonly port: number;
  readonly hostKey: string;
  readonly driveC: string;
  readonly media: FakeMedia;
  /** Cluster that its node joins, unless the options named another one. */
  readonly cluster: RecordingCluster;
  readonly programs: FakePrograms;
  readonly time: MachineTime;
  readonly windows: WindowsMachine;
  readonly boots: number;
  /** Resolves when it listens again; at once if no reboot was ordered. @throws the error of a failed boot. */
  up(): Promise<void>;
  /** Stops the host and removes its drive. */
  stop(): Promise<void>;
}

/** Hard-links all files below one folder into another. Safe because writers create new files. */
function linkFiles(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [file, second] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(second);
      linkFiles(file, second);
    } else {
      linkSync(file, second);
    }
  }
}

export async function startRehearsedMachine(
  options: RehearsedMachineOptions,
): Promise<RehearsedMachine> {
  const driveC = await mkdtemp(join(tmpdir(), "kindows-host-"));
  if (options.drive !== undefined) linkFiles(options.drive, driveC);
  const versions = { containerd: "2.4.2", kubernetes: "1.36.4" };
  const media = await writeFakeMedia(new Drive(driveC, false), versions);
  const time = new VirtualTime();
  const cluster = new RecordingCluster(time);
  const hostPrivateKey = options.hostPrivateKey ?? generateEd25519().private;
  const programs = new FakePrograms({
    driveC,
    cluster: options.cluster ?? cluster,
    time,
    onReboot: (delaySeconds, end) => {
      if (power.signal.aborted) return; // it is going down
      delay.abort();
      delay = new AbortController();
      rebooting = shutDown(delaySeconds * 1000, end, delay.signal);
      rebooting.catch(() => undefined); // `up` reports the error
    },
    onRebootCalledOff: () => delay.abort(),
  });
  if (options.drive !== undefined) {
    const { bootTime } = await loadState(new Drive(driveC, false), programs.bootTime);
    programs.bootTime = new Date(bootTime);
    programs.powerOn();
  }

  const address = ownAddress();
  let boots = 0;
  let off = false;
  let power = new AbortController();
  /** Aborted when an ordered reboot is called off. */
  let delay = new AbortController();
  const boot = async (port: number): Promise<RunningMachine> => {
    power = new AbortController();
    boots++;
    return startMachine({
      programs,
      identity: {
        computerName: options.hostName,
        hostPrivateKey,
        authorizedKeys: options.authorizedKeys,
      },
      port,
      address,
      faults: options.faults,
      version: options.version,
      time,
      durable: false, // only the simulated machine loses power
      power: power.signal,
      log: () => undefined,
    });
  };
  const powerOff = async (): Promise<void> => {
    power.abort();
    running.stop();
    programs.powerOff();
    await running.windows.mutexes.idle();
    await running.windows.tasksEnded();
    await running.servicesStarted;
    await running.windows.save();
    programs.powerOff(); // services that a step has started meanwhile
  };
  const shutDown = async (
    milliseconds: number,
    end: "reboot" | "power off",
    calledOff: AbortSignal,
  ): Promise<void> => {
    if (milliseconds > 0) {
      await time.busy(() => time.sleep(milliseconds, calledOff));
      // Virtual time leaves no time for a step to report its result.
      await running.windows.mutexes.idle();
      await running.answered();
    }
    if (off || calledOff.aborted) return;
    // A regular shutdown flushes all writes; a reboot without delay is a power cut.
    if (milliseconds > 0) running.windows.recentWrites.allFlushed();
    await powerOff();
    if (end === "power off") return;
    programs.powerOn();
    if (!off) running = await boot(port);
  };

  let rebooting = Promise.resolve();
  let running = await boot(await ownPort()).catch((error: unknown) => {
    rmSync(driveC, { recursive: true });
    throw error;
  });
  const { port } = running;
  const key = ssh2.utils.parseKey(hostPrivateKey);
  if (key instanceof Error) throw key;
  const machine: RehearsedMachine = {
    address,
    port,
    hostKey: `${key.type} ${key.getPublicSSH().toString("base64")}`,
    driveC,
    media,
    cluster,
    programs,
    time,
    get windows() {
      return running.windows;
    },
    get boots() {
      return boots;
    },
    async up() {
      await rebooting;
      await running.servicesStarted;
    },
    async stop() {
      stopped(machine);
      off = true;
      delay.abort();
      await rebooting.catch(() => undefined);
      await powerOff();
      rmSync(driveC, { recursive: true, force: true });
    },
  };
  started(`the rehearsed machine ${options.hostName}`, machine);
  return machine;
}
