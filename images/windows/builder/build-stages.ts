import { formatSeconds } from "../../../toolchain/progress-text.ts";

interface Stage {
  readonly description: string;
  /** The line of a script with which the stage begins. */
  readonly begins?: RegExp;
  /** Time limit under KVM. */
  readonly limitMinutes: number;
  readonly remedy: string;
}

const lookAtScreenshot = "Look at the screenshot.";

/**
 * The stages in order. The time limits are estimates, not measurements. A public CI with slow disks allows 30 minutes
 * to the first restart and 150 in all (dockur/windows); a workstation took eight minutes in all
 * (sig-windows-dev-tools). Updates are said to take up to 90 minutes on a slow machine.
 */
const stages = {
  boot: {
    description: "Windows Setup starts from its disc",
    limitMinutes: 15,
    remedy: `${lookAtScreenshot} If it shows the firmware's shell or prompt, the disc does not boot. If Setup asks a question, the answer file does not fit this Windows.`,
  },
  copy: {
    description: "Windows Setup copies Windows to the disk",
    limitMinutes: 45,
    remedy: `${lookAtScreenshot} Setup may show an error message.`,
  },
  setup: {
    description: "Windows sets itself up, until the first logon",
    limitMinutes: 60,
    remedy: `${lookAtScreenshot} If Setup asks a question, the answer file does not fit this Windows. If it shows a desktop or prompt, the first logon did not find the script on the disc.`,
  },
  prepare: {
    description: "the first logon prepares the image",
    begins: /^installed, preparing the image$/,
    limitMinutes: 45,
    remedy: `${lookAtScreenshot} The last line on the serial port names the task that was started.`,
  },
  update: {
    description: "the update is installed, and Windows restarts with it",
    begins: /^installing the update$/,
    limitMinutes: 120,
    remedy: `${lookAtScreenshot} The machine's SSH server must answer after the restart. The update's log is C:\\Windows\\Logs\\CBS\\CBS.log on the machine.`,
  },
  seal: {
    description: "the nodes' steps run in the image, and it is sealed, over SSH",
    begins: /^(initialized|build \d+\.\d+)$/,
    limitMinutes: 75,
    remedy:
      "The machine's SSH server must answer, also after a reboot. See the error of the last attempt.",
  },
  "power-off": {
    description: "sysprep generalizes and shuts down",
    limitMinutes: 45,
    remedy: `${lookAtScreenshot} If sysprep failed, the reason is on the serial port.`,
  },
} as const satisfies Readonly<Record<string, Stage>>;

type StageName = keyof typeof stages;

const order = Object.keys(stages) as StageName[];

/** Last lines of Initialize-Image.ps1, after which the SSH server answers, now or after the restart. */
const openLines = ["initialized", "updated, rebooting"];

/** Time limit for a resumed machine to start Windows, accept a login and run the first script. */
const comeBackMinutes = 15;

/** Setup has begun to copy once it has written more than this. Partitions and file systems alone take less. */
const copyingBytes = 16 * 1024 ** 2;

/** This many restarts before anything is copied are a boot loop. */
const emptyRestarts = 3;

const sameRestartMilliseconds = 2000;

export class StageError extends Error {
  override readonly name = "StageError";

  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

/** The disk of an interrupted build is unusable. */
export class NotResumed extends StageError {
  constructor(why: string) {
    super(`the machine of the interrupted build is unusable: ${why}`, "The build starts over.");
  }
}

/**
 * Follows the build of an image by what can be observed from outside the machine: bytes written to its disk, restarts,
 * lines on the serial port, and the shutdown.
 */
export class BuildStages {
  stage: StageName = "boot";
  lastSeen = "the machine was switched on";
  /** Whether the machine's SSH server answers, possibly only after a restart that was ordered. */
  isOpen = false;
  /** Whether the machine is being sealed, after which nobody can log in any more. */
  isSealing = false;
  #since: number;
  #restarts = 0;
  #lastRestart = -Infinity;
  /** Whether the disk has proven usable: it is new, or a script has run on the resumed machine. */
  #isUsable: boolean;

  /**
   * @param slowness factor for all time limits. Emulation is some ten times slower than KVM.
   * @param isResumed whether the machine starts from the disk of a build that was interrupted after Windows was set up.
   */
  constructor(
    private readonly report: (line: string) => void,
    now: number,
    private readonly slowness = 1,
    isResumed = false,
  ) {
    this.#since = now;
    this.#isUsable = !isResumed;
    if (isResumed) {
      this.stage = "seal";
      this.isOpen = true;
    }
    this.#reportStage();
  }

  /** Whether a build that is killed now can be resumed: Windows is set up, and is not being sealed yet. */
  get isKept(): boolean {
    return this.stage === "seal" && !this.isSealing;
  }

  /** Whether it was started from the disk of an interrupted build that has not proven usable yet. */
  get isDoubtful(): boolean {
    return !this.#isUsable;
  }

  /** @param bytes written to the disk since the machine was switched on. */
  wrote(bytes: number, now: number): void {
    if (this.stage === "boot" && bytes > copyingBytes) {
      this.#enter("copy", "the disk is being written to", now);
    }
  }

  /**
   * Records a restart. QEMU may report one restart several times, because a guest tries every way of requesting it.
   *
   * @throws StageError for a boot loop.
   */
  restarted(now: number): void {
    if (now - this.#lastRestart < sameRestartMilliseconds) return;
    this.#lastRestart = now;
    this.#restarts += 1;
    const seen = `restart ${this.#restarts}`;
    if (this.stage === "copy") {
      this.#enter("setup", seen, now);
      return;
    }
    this.#see(seen);
    if (this.stage === "boot" && this.#restarts >= emptyRestarts) {
      throw this.#failure(`the machine restarted ${this.#restarts} times and copied nothing`);
    }
  }

  /** @throws StageError if the machine reports a failure. */
  said(line: string, now: number): void {
    const message = /^kindows: (.*)$/.exec(line)?.[1]?.trim();
    if (message === undefined) return;
    if (message.startsWith("failed: ")) {
      this.lastSeen = message;
      throw this.#failure(`the machine says: ${message}`);
    }
    // Confirm-ImageBuild.ps1 prints this once it has found a supported Windows.
    this.#isUsable ||= message.startsWith("build ");
    // The first line of Complete-Image.ps1.
    this.isSealing ||= message === "sealing";
    this.isOpen ||= openLines.includes(message);
    const next = order.find((each) => (stages[each] as Stage).begins?.test(message));
    if (next !== undefined && this.#isBefore(next)) {
      this.#enter(next, message, now);
    } else {
      this.#see(message);
    }
  }

  /** @param problem why an attempt to seal the machine over SSH failed. */
  tried(problem: string): void {
    this.lastSeen = problem;
  }

  /** Records that the sealing script has finished. The machine has yet to shut down. */
  sealed(now: number): void {
    if (this.#isBefore("power-off")) {
      this.#enter("power-off", "the image is sealed", now);
    }
  }

  /** @throws StageError if the image was not sealed. */
  poweredOff(): void {
    if (this.stage !== "power-off") {
      throw this.#failure("the machine was switched off from inside before the image was sealed");
    }
    this.#see("the machine is off");
  }

  /** @throws StageError if the stage takes too long. */
  checkTime(now: number): void {
    const limit = this.#limitSeconds();
    if (now - this.#since > limit * 1000) {
      throw this.#failure(`no end within ${formatSeconds(limit)}`);
    }
  }

  #failure(why: string): StageError {
    const { description, remedy } = stages[this.stage];
    return new StageError(`${this.#number()}, ${description}: ${why}`, remedy);
  }

  #number(): string {
    return `stage ${order.indexOf(this.stage) + 1} of ${order.length}`;
  }

  #isBefore(stage: StageName): boolean {
    return order.indexOf(this.stage) < order.indexOf(stage);
  }

  #see(event: string): void {
    this.lastSeen = event;
    this.report(event);
  }

  #enter(stage: StageName, seen: string, now: number): void {
    this.#see(seen);
    this.stage = stage;
    this.#since = now;
    this.#reportStage();
  }

  #reportStage(): void {
    const limit = formatSeconds(this.#limitSeconds());
    this.report(`${this.#number()}: ${stages[this.stage].description}; at most ${limit}`);
  }

  #limitSeconds(): number {
    return (
      (this.#isUsable ? stages[this.stage].limitMinutes : comeBackMinutes) * 60 * this.slowness
    );
  }
}
