import { appendFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Progress } from "../../../../toolchain/artifact.ts";
import { BuildStages, NotResumed, StageError } from "./build-stages.ts";
import { serialFile, type BuilderMachine, qemuArguments } from "./qemu-command.ts";
import { exitCodes, Failure } from "../../../../host/failure.ts";
import { QemuProcess, SerialLines, Screenshots } from "./qemu-process.ts";
import type { QmpEvent } from "./qmp.ts";
import type { ImageSecrets } from "../image-disc.ts";
import type { PartialImage } from "./partial-image.ts";
import { sealImage, type ImageBuild } from "./seal-image.ts";

export interface BuilderRun {
  readonly machine: BuilderMachine;
  /** Log of the build, to which output of the serial port and QEMU is appended. */
  readonly logFile: string;
  /** Folder for screenshots, which are kept for finding out why it failed. */
  readonly screens: string;
  readonly progress: Progress;
  /** Ends the machine. */
  readonly signal: AbortSignal;
  /** Its disk; from the end of Windows' setup until it is sealed, the next build can go on with it. */
  readonly partial: PartialImage;
  readonly secrets: ImageSecrets;
  /** That the machine may reach besides the public internet, as host and port. */
  readonly registries: ReadonlySet<string>;
  /** Whether the disk is that of a build that was interrupted after Windows was set up. */
  readonly isResumed: boolean;
  /** Factor of each stage's time limit under KVM. Default: 1 with KVM, 10 without. */
  readonly slowness?: number | undefined;
  /** QEMU's path. Default: the one on the PATH. */
  readonly emulator?: string | undefined;
}

const tickMilliseconds = 500;
const sealPauseMilliseconds = 5000;
/**
 * UEFI starts Windows' disc only if a key is pressed within some seconds after the firmware is ready, so Enter is pressed
 * repeatedly. A BIOS asks nothing if the disk is empty.
 */
const promptTicks = 40;
/** Ticks between two checks of how much was written, and between two screenshots. */
const statsTicks = 4;
const screenTicks = 60;

/**
 * Runs the machine that an image is built on, from an empty disk or that of an interrupted build, until it shuts down.
 *
 * @throws NotResumed for an unusable disk of an interrupted build; StageError with stage, last observation, newest screenshot and remedy; Failure if it is interrupted.
 */
export async function runBuilder(run: BuilderRun): Promise<ImageBuild> {
  const { machine, logFile, progress } = run;
  const qemu = new QemuProcess({
    args: qemuArguments(machine),
    folder: machine.folder,
    logFile,
    program: run.emulator,
  });
  const screenshots = new Screenshots(qemu.qmp, run.screens);
  const slowness = run.slowness ?? (machine.accelerator === "kvm" ? 1 : 10);
  const stages = new BuildStages(progress, Date.now(), slowness, run.isResumed);
  try {
    return await follow(run, qemu, stages, screenshots);
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    if (stages.isDoubtful) throw new NotResumed(`${error.message}; last seen: ${stages.lastSeen}`);
    if (qemu.ending === undefined) await screenshots.take();
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
): Promise<ImageBuild> {
  const serial = new SerialLines(path.join(run.machine.folder, serialFile));
  const sealing = new Sealing(run, qemu, stages);
  let isKept = run.isResumed;
  const keepOrWithdraw = async (): Promise<void> => {
    if (stages.isKept && !isKept) {
      isKept = true;
      await run.partial.keep(run.secrets, run.machine.folder);
      run.progress("Windows is set up: a build that is killed from here on is gone on with");
    }
    if (stages.isSealing && isKept) {
      isKept = false;
      await run.partial.withdraw();
    }
  };
  const readSerial = async (): Promise<void> => {
    for (const line of await serial.read()) {
      await appendFile(run.logFile, `COM1: ${line}\n`);
      stages.said(line, Date.now());
    }
    await keepOrWithdraw();
  };
  const readSealed = async (): Promise<void> => {
    // Reads first what the machine said before it was sealed, as the stages follow each other.
    const { build } = sealing;
    await readSerial();
    if (build !== undefined) stages.sealed(Date.now());
  };
  const lookAtDisk = async (): Promise<void> => {
    // A QEMU that has ended sends nothing more.
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
  for (let tick = 0; ; tick += 1) {
    if (run.signal.aborted) {
      throw new Failure("interrupted; nothing half-made is left", exitCodes.interrupted);
    }
    // Before the events, so that its last lines are read before its shutdown is handled.
    await readSealed();
    for (const event of qemu.events.splice(0)) {
      // Something may have been written since the last check: only then is a restart one of Setup's.
      await lookAtDisk();
      if (handle(event, stages) === "off") {
        await sealing.finished();
        // It may have been said between the two checks.
        await readSealed();
        stages.poweredOff();
        if (sealing.build !== undefined) return sealing.build;
        throw new Error("the machine was switched off before anybody looked at its Windows");
      }
    }
    if (qemu.ending !== undefined) {
      throw new StageError(
        `QEMU ended by itself (${qemu.ending})`,
        `What it says is in ${run.logFile}. Run the same again.`,
      );
    }
    if (stages.isOpen) sealing.begin();
    sealing.check();
    stages.checkTime(Date.now());
    if (run.machine.uefi !== undefined && !run.isResumed && tick < promptTicks) {
      await qemu.pressEnter();
    }
    if (tick % statsTicks === 0) await lookAtDisk();
    if (tick % screenTicks === screenTicks / 6) await screenshots.take();
    await sleep(tickMilliseconds);
  }
}

/** @throws StageError if the machine cannot continue. */
function handle({ name, data }: QmpEvent, stages: BuildStages): "off" | "on" {
  if (name === "SHUTDOWN" && data.guest === true) return "off";
  if (name === "RESET" && data.guest === true) stages.restarted(Date.now());
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

/** The sealing over SSH, started once, in parallel with watching. */
class Sealing {
  #work: Promise<void> | undefined;
  #failure: StageError | undefined;
  #stop = false;
  /** What it has found, once it has finished. */
  build: ImageBuild | undefined;

  constructor(
    private readonly run: BuilderRun,
    private readonly qemu: QemuProcess,
    private readonly stages: BuildStages,
  ) {}

  begin(): void {
    this.#work ??= this.#try();
  }

  /** @throws its error. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for its end after the machine is off, which also ends the connection. */
  async finished(): Promise<void> {
    this.#stop = true;
    await Promise.race([this.#work, sleep(sealPauseMilliseconds)]);
    this.check();
  }

  async #try(): Promise<void> {
    while (!this.#stop && this.qemu.ending === undefined) {
      try {
        const { secrets, registries } = this.run;
        this.build = await sealImage(await this.qemu.sshPort(), secrets, registries);
        return;
      } catch (error) {
        if (error instanceof StageError) {
          this.#failure = error;
          return;
        }
        this.stages.tried(`the SSH server: ${(error as Error).message}`);
      }
      await sleep(sealPauseMilliseconds, undefined, { ref: false });
    }
  }
}
