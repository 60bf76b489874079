import { appendFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Progress } from "../../../../toolchain/artifact.ts";
import { BuildStages, NotResumed, StageError } from "./build-stages.ts";
import { serialFile } from "./builder-machine.ts";
import type { BuilderFiles, BuilderMachine } from "./builder-machine.ts";
import { Interrupted } from "./interruption.ts";
import { qemuArguments } from "./qemu-command.ts";
import { QemuProcess } from "./qemu-process.ts";
import type { QmpEvent } from "./qmp.ts";
import { Screenshots } from "./screenshots.ts";
import { SerialLines } from "./serial-lines.ts";

export interface BuilderRun {
  readonly machine: BuilderMachine;
  readonly files: BuilderFiles;
  /** Log of the build: what the serial port and QEMU say is appended. */
  readonly logFile: string;
  /** Where pictures of the screen go; they stay, for whoever looks why it failed. */
  readonly screens: string;
  readonly progress: Progress;
  /** Ends the machine. */
  readonly signal: AbortSignal;
  /**
   * Has the prepared machine looked at and sealed, over SSH. Tried again until the stage's time is over.
   *
   * @throws StageError when it is no use to try again.
   */
  readonly seal: (sshPort: number) => Promise<void>;
  /** Whether the disk is that of a build that was cut off when Windows was set up. */
  readonly isResumed: boolean;
  /** Windows is set up: makes this build one that can be gone on with. */
  readonly keep: () => Promise<void>;
  /** It is being sealed: the contrary. */
  readonly withdraw: () => Promise<void>;
  /** How much longer than under KVM each stage may take. Default: 1 with KVM, 10 without. */
  readonly slowness?: number | undefined;
  /** What to run as QEMU. Default: the one on the PATH. */
  readonly emulator?: string | undefined;
}

const tickMilliseconds = 500;
const sealPauseMilliseconds = 5000;
/**
 * UEFI starts Windows' disc only when a key is pressed within some seconds, which begin when the firmware is ready:
 * Enter is pressed all that time. A BIOS asks nothing where the disk is empty.
 */
const promptTicks = 40;
/** Ticks between two looks at how much was written, and between two pictures. */
const statsTicks = 4;
const screenTicks = 60;

/**
 * Runs the machine that an image is made on, from an empty disk, or one of a build that was cut off, until its power goes
 * off.
 *
 * @throws NotResumed for a disk of a build that was cut off; StageError that says the stage, what was seen last, where the newest picture is, and what to do; Interrupted.
 */
export async function runBuilder(run: BuilderRun): Promise<void> {
  const { machine, files, logFile, progress } = run;
  const qemu = new QemuProcess({
    args: qemuArguments(machine, files),
    folder: files.folder,
    logFile,
    program: run.emulator,
  });
  const screenshots = new Screenshots(qemu.qmp, run.screens);
  const slowness = run.slowness ?? (machine.accelerator === "kvm" ? 1 : 10);
  const stages = new BuildStages(progress, Date.now(), slowness, run.isResumed);
  try {
    await follow(run, qemu, stages, screenshots);
  } catch (error) {
    if (!(error instanceof StageError)) {
      throw error;
    }
    if (stages.isDoubtful) {
      throw new NotResumed(`${error.message}; last seen: ${stages.lastSeen}`);
    }
    if (qemu.ending === undefined) {
      await screenshots.take();
    }
    const picture = screenshots.newest ?? "none was taken";
    throw new StageError(
      `${error.message}; last seen: ${stages.lastSeen}. Newest screenshot: ${picture}. ${error.remedy}`,
      error.remedy,
    );
  } finally {
    await qemu.end();
  }
}

async function follow(
  run: BuilderRun,
  qemu: QemuProcess,
  stages: BuildStages,
  screenshots: Screenshots,
): Promise<void> {
  const serial = new SerialLines(path.join(run.files.folder, serialFile));
  let isKept = run.isResumed;
  const keepOrWithdraw = async (): Promise<void> => {
    if (stages.isKept && !isKept) {
      isKept = true;
      await run.keep();
      run.progress("Windows is set up: a build that is killed from here on is gone on with");
    }
    if (stages.isSealing && isKept) {
      isKept = false;
      await run.withdraw();
    }
  };
  const readSerial = async (): Promise<void> => {
    for (const line of await serial.read()) {
      await appendFile(run.logFile, `COM1: ${line}\n`);
      stages.said(line, Date.now());
    }
    await keepOrWithdraw();
  };
  const lookAtDisk = async (): Promise<void> => {
    // A QEMU that has ended tells nothing more.
    stages.wrote(await qemu.writtenBytes().catch(() => 0), Date.now());
  };
  try {
    await qemu.qmp.open();
    await qemu.qmp.execute("cont");
  } catch (error) {
    await qemu.end();
    throw new StageError(
      `QEMU did not start (${qemu.ending}): ${(error as Error).message}`,
      `What it says is in ${run.logFile}.`,
    );
  }
  const sealing = new Sealing(run, qemu, stages);
  for (let tick = 0; ; tick += 1) {
    if (run.signal.aborted) {
      throw new Interrupted();
    }
    // What the machine said before it was sealed is read first: the stages follow each other.
    const { done } = sealing;
    // Before the events: what a machine says before its power goes off has come by then.
    await readSerial();
    if (done) {
      sealing.tell();
    }
    for (const event of qemu.events.splice(0)) {
      // It may have been written since the last look: only then is a restart one of Setup's.
      await lookAtDisk();
      if (handle(event, stages) === "off") {
        await sealing.finished();
        // It may have been said between the two looks.
        await readSerial();
        if (sealing.done) {
          sealing.tell();
        }
        stages.poweredOff();
        return;
      }
    }
    if (qemu.ending !== undefined) {
      throw new StageError(
        `QEMU ended by itself (${qemu.ending})`,
        `What it says is in ${run.logFile}. Run the same again.`,
      );
    }
    if (stages.isOpen) {
      sealing.begin();
    }
    sealing.check();
    stages.checkTime(Date.now());
    if (run.machine.uefi !== undefined && !run.isResumed && tick < promptTicks) {
      await qemu.pressEnter();
    }
    if (tick % statsTicks === 0) {
      await lookAtDisk();
    }
    if (tick % screenTicks === screenTicks / 6) {
      await screenshots.take();
    }
    await sleep(tickMilliseconds);
  }
}

/** @throws StageError when the machine can't go on. */
function handle({ name, data }: QmpEvent, stages: BuildStages): "off" | "on" {
  if (name === "SHUTDOWN" && data.guest === true) {
    return "off";
  }
  if (name === "RESET" && data.guest === true) {
    stages.restarted(Date.now());
  }
  if (name === "GUEST_PANICKED") {
    throw new StageError("Windows stopped with a blue screen", "Look at the screenshot.");
  }
  if (name === "BLOCK_IO_ERROR" && data.action === "stop") {
    throw data.nospace === true
      ? new StageError("the disk of this host is full", "Make room in the cache's folder.")
      : new StageError(
          `this host's disk refuses: ${String(data.reason)}`,
          "See the kernel's log (dmesg) and what the build's log says.",
        );
  }
  return "on";
}

/** The sealing over SSH, begun once, beside the looking. */
class Sealing {
  readonly #run: BuilderRun;
  readonly #qemu: QemuProcess;
  readonly #stages: BuildStages;
  #work: Promise<void> | undefined;
  #failure: Error | undefined;
  #stop = false;
  #told = false;
  /** Whether the script that seals has said that it is done. */
  done = false;

  constructor(run: BuilderRun, qemu: QemuProcess, stages: BuildStages) {
    this.#run = run;
    this.#qemu = qemu;
    this.#stages = stages;
  }

  begin(): void {
    this.#work ??= this.#try().catch((error: unknown) => {
      this.#failure = error as Error;
    });
  }

  /** Tells the stages, once, that it is done. */
  tell(): void {
    if (!this.#told) {
      this.#told = true;
      this.#stages.sealed(Date.now());
    }
  }

  /** @throws what it failed with. */
  check(): void {
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
  }

  /** Waits for the end of what was begun, when the machine is off: the connection then ends as well. */
  async finished(): Promise<void> {
    this.#stop = true;
    await Promise.race([this.#work, sleep(sealPauseMilliseconds)]);
    this.check();
  }

  async #try(): Promise<void> {
    while (!this.#stop && this.#qemu.ending === undefined) {
      try {
        await this.#run.seal(await this.#qemu.sshPort());
        this.done = true;
        return;
      } catch (error) {
        if (error instanceof StageError) {
          throw error;
        }
        this.#stages.tried(`the SSH server: ${(error as Error).message}`);
      }
      await sleep(sealPauseMilliseconds, undefined, { ref: false });
    }
  }
}
