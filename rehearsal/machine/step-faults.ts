import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, type FaultPoint, unpacker } from "./faults.ts";
import type { WindowsMachine } from "./windows-machine.ts";

/** Time for written text to leave the machine. */
const sendMilliseconds = 50;

/** "middle" is before a script's second change: at least one change has been made, but not all of them. */
const middle = 2;

/** Plays the faults of one run of a step. */
export class StepFaults {
  #since = performance.now();
  #middlePlayed = false;
  #changes = 0;

  private constructor(
    private readonly machine: WindowsMachine,
    private readonly step: string,
    private readonly faults: readonly Fault[],
    private readonly dropConnection: () => void,
  ) {}

  static async load(
    machine: WindowsMachine,
    step: string,
    dropConnection: () => void,
  ): Promise<StepFaults> {
    const faults = await machine.faults.all();
    if (step !== unpacker) await assertScriptsExist(machine, faults);
    return new StepFaults(machine, step, faults, dropConnection);
  }

  /** Whether a fault strikes in the middle, so that the step must have a middle. */
  get wantsMiddle(): boolean {
    return this.faults.some(
      (fault) => "at" in fault && fault.step === this.step && fault.at === "middle",
    );
  }

  async start(): Promise<void> {
    await this.#strike("start");
  }

  /** Called before each change that a script makes to the machine. */
  async changing(): Promise<void> {
    this.#changes += 1;
    if (this.#changes === middle) await this.checkpoint();
    await this.#strike(this.#changes);
    this.machine.assertPower();
  }

  /** The first call is the middle of the step. Later calls only slow it down. */
  async checkpoint(): Promise<void> {
    this.machine.assertPower();
    await this.#slowDown();
    if (this.#middlePlayed) return;
    this.#middlePlayed = true;
    await this.#strike("middle");
  }

  async end(): Promise<void> {
    await this.checkpoint(); // the middle, if the step made fewer than two changes
    await this.#strike("end");
  }

  /** Writes the line with the step's result, or only a part of it if a `cutResult` fault strikes. */
  async writeResult(line: string, write: (text: string) => void): Promise<void> {
    for (const fault of this.faults) {
      if (fault.kind !== "cutResult" || fault.step !== this.step) continue;
      if (!(await this.machine.faults.take(fault))) continue;
      write(line.slice(0, fault.characters ?? line.length / 2));
      await sleep(sendMilliseconds);
      this.dropConnection();
      return;
    }
    write(line);
  }

  async #strike(point: FaultPoint): Promise<void> {
    for (const fault of this.faults) {
      if (!("at" in fault) || fault.step !== this.step || fault.at !== point) continue;
      if (!(await this.machine.faults.take(fault))) continue;
      switch (fault.kind) {
        case "dropConnection":
          this.dropConnection();
          break;
        case "reboot":
          await this.machine.programs.reboot(0);
          // Nothing of this step happens after the power is gone. In the guest this process ends here.
          return this.machine.neverEnds();
        case "diskFull":
          this.machine.drive.full = true;
          break;
        case "clockOff":
          await this.machine.programs.setClock(
            new Date(this.machine.programs.now().getTime() + fault.hours * 3_600_000),
          );
          break;
        case "loseAddress":
          this.machine.loseAddress(fault.seconds);
          break;
        case "fail":
          throw new StepError(fault.code, fault.message);
      }
    }
  }

  async #slowDown(): Promise<void> {
    for (const fault of this.faults) {
      if (fault.kind !== "slow" || (fault.step !== undefined && fault.step !== this.step)) continue;
      await sleep((performance.now() - this.#since) * (fault.factor - 1));
    }
    this.#since = performance.now();
    this.machine.assertPower();
  }
}

/** @throws if a fault names a script that is not on the machine, because it would never strike. */
async function assertScriptsExist(
  machine: WindowsMachine,
  faults: readonly Fault[],
): Promise<void> {
  const steps = faults.flatMap((fault) => ("step" in fault && fault.step) || []);
  const folder = "C:\\kindows\\steps";
  if (steps.length === 0 || !(await machine.drive.isFolder(folder))) return;
  const files = await readdir(await machine.drive.resolve(folder), { recursive: true });
  const names = new Set([unpacker, ...files.map((file) => basename(file, ".ps1"))]);
  const unknown = steps.find((each) => !names.has(each));
  if (unknown !== undefined) {
    throw new Error(`a fault names the step ${unknown}, but there is no such script in ${folder}`);
  }
}

/** The error of a `fail` fault, reported by the script's Stop-Step. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly remedy = "This failure was asked for by a fault setting of the rehearsed machine.";

  constructor(
    /** An error code of components/windows/steps/lib/Step.ps1. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
