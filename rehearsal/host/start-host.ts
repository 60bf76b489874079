import type { Identity } from "../../components/machine/identity.ts";
import { runShellCommand } from "./cmd/shell.ts";
import { DiskFullError, Drive } from "./drive.ts";
import type { FaultSetting } from "./faults.ts";
import { type MachineTime, realTime } from "./machine-time.ts";
import type { WindowsPrograms } from "./programs.ts";
import { serveSftp } from "./ssh/sftp-server.ts";
import { SshServer } from "./ssh/ssh-server.ts";
import { PowerLost, WindowsHost } from "./windows-host.ts";
import type { WindowsVersion } from "./windows-version.ts";

/** What a rehearsal host is started with. */
export interface HostOptions {
  /** The machine's programs; `programs.driveC` is its drive, where its state is kept too. */
  readonly programs: WindowsPrograms;
  readonly identity: Pick<Identity, "computerName" | "hostPrivateKey" | "authorizedKeys">;
  /** SSH port; 0 takes any free one. */
  readonly port: number;
  /** Address to listen on. Default: all. */
  readonly address?: string;
  /** Faults besides those in C:\rehearsal\faults.json. Default: none. */
  readonly faults?: readonly FaultSetting[];
  /** What its Windows says of itself. Default: `rehearsedWindows`. */
  readonly version?: WindowsVersion;
  /** Default: `realTime`. */
  readonly time?: MachineTime;
  /** Aborted when the machine loses its power. Default: never, since the process ends with it. */
  readonly power?: AbortSignal;
  /** Whether what a step has written survives a power cut. Default: true. */
  readonly durable?: boolean;
  /** One line about what happens on the machine, without secrets. */
  readonly log: (line: string) => void;
}

/** A rehearsal host that answers. */
export interface RunningHost {
  /** Where SSH listens. */
  readonly port: number;
  readonly windows: WindowsHost;
  /** Resolves when the services that start with Windows have been started. */
  readonly servicesStarted: Promise<void>;
  /** Resolves when the commands that have ended so far have sent their results. */
  answered(): Promise<void>;
  /** Closes the port, cuts all connections and leaves the services to themselves. */
  stop(): void;
}

/** Seconds after which a service that ended by itself is started again: the scripts set the same. */
const restartSeconds = 5;

/**
 * Boots the model of Windows from what lies on its drive, opens SSH, then starts the services that start with Windows.
 *
 * A host that was shut down in the middle of anything comes up as Windows would: with the files as they were.
 */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const { programs, identity, log } = options;
  const time = options.time ?? realTime;
  const power = options.power ?? new AbortController().signal;
  const ssh: SshServer = new SshServer({
    hostPrivateKey: identity.hostPrivateKey,
    user: "Administrator",
    authorizedKeys: identity.authorizedKeys,
    log,
    runCommand: (text, io) =>
      runShellCommand(windows, text, io).catch((error: unknown) => {
        if (error instanceof PowerLost) return 1; // nobody is left to hear it
        throw error;
      }),
    serveSftp: (sftp) =>
      serveSftp(sftp, windows, log, (bytes) =>
        transferred(windows, bytes, () => ssh.cutConnections()),
      ),
  });
  const windows = await WindowsHost.boot({
    computerName: identity.computerName,
    drive: new Drive(programs.driveC, options.durable ?? true),
    programs,
    faults: options.faults ?? [],
    ...(options.version === undefined ? {} : { version: options.version }),
    stopSshd: () => ssh.stopListening(),
    startSshd: async () => {
      await ssh.listen(port, options.address ?? "0.0.0.0");
    },
    cutConnections: () => ssh.cutConnections(),
    answered: () => ssh.answered(),
    time,
    power,
  });

  for (const fault of await windows.faults.all()) {
    if (fault.kind !== "refuseDials") continue;
    await time.busy(() => time.sleep(fault.seconds * 1000, power));
  }
  const port: number = await ssh.listen(options.port, options.address ?? "0.0.0.0");
  log(`${identity.computerName}: SSH on port ${port}, booted ${windows.lastBootUpTime}`);
  const servicesStarted = time.busy(() => windows.services.startAutomatic(log));
  const supervisor = setInterval(() => {
    if (power.aborted) return;
    time
      .busy(() => windows.services.restartEnded(log))
      .catch((error: unknown) => log(String(error)));
  }, restartSeconds * 1000);
  supervisor.unref();

  return {
    port,
    windows,
    servicesStarted,
    answered: () => ssh.answered(),
    stop() {
      clearInterval(supervisor);
      ssh.stopListening();
      ssh.cutConnections();
    },
  };
}

/** How long an address that is lost in a copy stays away. */
const lossSeconds = 20;

/** Plays the faults of a copy: called before each part of a file is written. */
async function transferred(windows: WindowsHost, bytes: number, cut: () => void): Promise<void> {
  windows.bytesReceived += bytes;
  for (const fault of await windows.faults.all()) {
    if (fault.kind !== "cutTransfer" || windows.bytesReceived <= fault.afterBytes) continue;
    if (!(await windows.faults.take(fault))) continue;
    switch (fault.by) {
      case "connection":
        cut();
        break;
      case "disk":
        throw new DiskFullError();
      case "power":
        await windows.programs.reboot(0);
        return windows.neverEnds();
      case "address":
        windows.loseAddress(lossSeconds);
    }
  }
}
