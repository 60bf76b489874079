import type { Identity } from "../../components/machine/identity.ts";
import { runInDefaultShell } from "./default-shell.ts";
import { DiskFullError, Drive } from "./drive.ts";
import { serveSftp } from "./ssh/sftp-server.ts";
import { SshServer } from "./ssh/ssh-server.ts";
import { PowerLost, WindowsMachine, type WindowsMachineOptions } from "./windows-machine.ts";

interface MachineOptions extends Pick<
  WindowsMachineOptions,
  "programs" | "faults" | "version" | "time" | "power"
> {
  readonly identity: Pick<Identity, "computerName" | "hostPrivateKey" | "authorizedKeys">;
  readonly port: number;
  /** Address to listen on. Default: all. */
  readonly address?: string;
  /** Whether the drive flushes each of the model's writes to the disk. Default: true. */
  readonly durable?: boolean;
  /** Logs a line about an event on the machine, without secrets. */
  readonly log: (line: string) => void;
}

export interface RunningMachine {
  readonly port: number;
  readonly windows: WindowsMachine;
  /** Resolves when the automatic services have been started. */
  readonly servicesStarted: Promise<void>;
  /** Resolves when the commands that have ended so far have sent their results. */
  answered(): Promise<void>;
  /** Closes the port, cuts all connections and stops restarting services. */
  stop(): void;
}

/** Seconds between checks for services to restart: the restart delay that the scripts set. */
const restartSeconds = 5;

/** Boots the model of Windows from its drive, opens SSH, then starts the automatic services. */
export async function startMachine(options: MachineOptions): Promise<RunningMachine> {
  const { programs, identity, log, address = "0.0.0.0" } = options;
  const ssh: SshServer = new SshServer({
    ...identity,
    port: options.port,
    address,
    user: "Administrator",
    log,
    runCommand: (text, io) =>
      runInDefaultShell(windows, text, io).catch((error: unknown) => {
        if (error instanceof PowerLost) return 1; // the connection is gone
        throw error;
      }),
    serveSftp: (sftp) => serveSftp(sftp, windows, log, (bytes) => transferred(windows, bytes)),
  });
  const windows = await WindowsMachine.boot({
    ...options,
    computerName: identity.computerName,
    drive: new Drive(programs.driveC, options.durable ?? true),
    sshd: ssh,
  });
  const { time } = windows;

  for (const fault of await windows.faults.all()) {
    if (fault.kind !== "refuseDials") continue;
    await time.busy(() => time.sleep(fault.seconds * 1000, options.power));
  }
  const port = await ssh.listen();
  log(`${identity.computerName}: SSH on port ${port}, booted ${windows.lastBootUpTime}`);
  const servicesStarted = time.busy(() => windows.services.startAutomatic(log));
  const supervisor = setInterval(() => {
    if (options.power?.aborted) return;
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

/** How long the address is away that a `cutTransfer` fault takes, in seconds. */
const lossSeconds = 20;

/** Plays `cutTransfer` faults. Called before each part of an uploaded file is written. */
async function transferred(windows: WindowsMachine, bytes: number): Promise<void> {
  windows.bytesReceived += bytes;
  for (const fault of await windows.faults.all()) {
    if (fault.kind !== "cutTransfer" || windows.bytesReceived <= fault.afterBytes) continue;
    if (!(await windows.faults.take(fault))) continue;
    switch (fault.by) {
      case "connection":
        windows.cutConnections();
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
