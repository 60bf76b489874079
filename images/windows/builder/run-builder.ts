import { appendFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Progress } from "../../../toolchain/artifact.ts";
import { makeRoom } from "../../disk/require-room.ts";
import { BuildStages, NotResumed, StageError } from "./build-stages.ts";
import { serialFile, type BuilderMachine, qemuArguments } from "./qemu-command.ts";
import { exitCodes, Failure } from "../../../host/failure.ts";
import { QemuProcess, SerialLines, Screenshots } from "./qemu-process.ts";
import type { QmpEvent } from "./qmp.ts";
import type { ImageSecrets } from "../image-disc.ts";
import type { PartialImage } from "./partial-image.ts";
import { sealImage, type ImageBuild } from "./seal-image.ts";

interface BuilderRun {
  readonly machine: BuilderMachine;
  /** Log of the build, to which the output of the serial port and of QEMU is appended. */
  readonly logFile: string;
  /** Folder for screenshots, which are kept for debugging a failed build. */
  readonly screens: string;
  readonly progress: Progress;
  /** Aborting it ends the machine. */
  readonly signal: AbortSignal;
  /** The machine's disk. From the end of Windows' setup until sealing, the next build can resume it. */
  readonly partial: PartialImage;
  readonly secrets: ImageSecrets;
  /** Registries that the machine may reach besides the public internet, as host and port. */
  readonly registries: ReadonlySet<string>;
  /** Whether the disk comes from a build that was interrupted after Windows was set up. */
  readonly isResumed: boolean;
  /** Factor for each stage's time limit. Default: 1 with KVM, 10 without. */
  readonly slowness?: number | undefined;
  /** QEMU's path. Default: the one on the PATH. */
  readonly emulator?: string | undefined;
}

const tickMilliseconds = 500;
const sealPauseMilliseconds = 5000;
/**
 * Number of ticks in which Enter is pressed. With UEFI, Windows' disc only starts if a key is pressed within some
 * seconds after the firmware is ready. With BIOS and an empty disk, it starts without a key.
 */
const promptTicks = 40;
/** Ticks between two checks of the bytes written, and between two screenshots. */
const statsTicks = 4;
const screenTicks = 60;

/**
 * Runs the machine that an image is built on, with an empty disk or the disk of an interrupted build, until it shuts
 * down.
 *
 * @throws NotResumed if the disk of an interrupted build is unusable; StageError with the stage, last observation,
 * newest screenshot and remedy; Failure if it is interrupted.
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
    const screenshot = screenshots.newest ?? "none was taken";
    throw new StageError(
      `${error.message}; last seen: ${stages.lastSeen}. Newest screenshot: ${screenshot}. ${error.remedy}`,
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
      run.progress(
        "Windows is set up; if the build is killed from now on, the next one resumes it",
      );
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
    // Serial lines from before the sealing must be processed first, so `build` is read before them.
    const { build } = sealing;
    await readSerial();
    if (build !== undefined) stages.sealed(Date.now());
  };
  const checkWritten = async (): Promise<void> => {
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
      `Its output is in ${run.logFile}.`,
    );
  }
  for (let tick = 0; ; tick += 1) {
    if (run.signal.aborted) {
      throw new Failure("interrupted; the unfinished image is removed", exitCodes.interrupted);
    }
    // Before the events, so that the machine's last lines are processed before its shutdown.
    await readSealed();
    for (const event of qemu.events.splice(0)) {
      // A restart only counts as Setup's if it has copied files, possibly since the last check.
      await checkWritten();
      if (event.name === "STOP" && (await qemu.isBroken().catch(() => false))) {
        throw new StageError(
          "KVM on this host could not run the machine any further",
          `This happens on hosts that are virtual machines themselves. Run the same command again; QEMU's output is in ${run.logFile}.`,
        );
      }
      if (handle(event, stages) === "off") {
        await sealing.finished();
        // Lines may have arrived since the last check.
        await readSealed();
        stages.poweredOff();
        if (sealing.build !== undefined) return sealing.build;
        throw new Error("the machine was switched off before its Windows version was known");
      }
    }
    if (qemu.ending !== undefined) {
      throw new StageError(
        `QEMU ended by itself (${qemu.ending})`,
        `Its output is in ${run.logFile}. Run the same command again.`,
      );
    }
    if (stages.isOpen) sealing.begin();
    sealing.check();
    stages.checkTime(Date.now());
    if (run.machine.uefi !== undefined && !run.isResumed && tick < promptTicks) {
      await qemu.pressEnter();
    }
    if (tick % statsTicks === 0) await checkWritten();
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
      ? new StageError("the disk of this host is full", makeRoom)
      : new StageError(
          `writing to this host's disk failed: ${String(data.reason)}`,
          "See the kernel's log (dmesg) and the build's log.",
        );
  }
  return "on";
}

/** Seals the machine over SSH, in parallel with watching it. */
class Sealing {
  #work: Promise<void> | undefined;
  #failure: StageError | undefined;
  #stop = false;
  /** The Windows version, once the machine is sealed. */
  build: ImageBuild | undefined;

  constructor(
    private readonly run: BuilderRun,
    private readonly qemu: QemuProcess,
    private readonly stages: BuildStages,
  ) {}

  begin(): void {
    this.#work ??= this.#try();
  }

  /** @throws StageError if sealing has failed. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits until sealing ends, after the machine is off, which also ends the connection. */
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
