import { formatSeconds } from "../../../../toolchain/progress-text.ts";

interface Stage {
  readonly does: string;
  /** A script's line with which it begins. */
  readonly begins?: RegExp;
  /** Longest time it may take under KVM. */
  readonly limitMinutes: number;
  readonly remedy: string;
}

const look = "Look at the screenshot.";

/**
 * The stages in their order. Limits: a public CI with slow disks allows 30 minutes to the first restart and 150 in all
 * (dockur/windows); eight minutes for all of it were measured on a workstation (sig-windows-dev-tools). None was
 * measured here. Updates are said to take up to 90 minutes on a slow machine; that stage is skipped without an update.
 */
const stages = {
  boot: {
    does: "Windows Setup starts from its disc",
    limitMinutes: 15,
    remedy: `${look} A firmware's shell or prompt: the disc does not boot. A question of Setup: the answer file does not fit this Windows.`,
  },
  copy: {
    does: "Windows Setup copies Windows to the disk",
    limitMinutes: 45,
    remedy: `${look} A message of Setup names what it can't do.`,
  },
  setup: {
    does: "Windows sets itself up, until the first logon",
    limitMinutes: 60,
    remedy: `${look} A question: the answer file does not fit this Windows. A desktop or prompt: the first logon did not find the script on the disc.`,
  },
  prepare: {
    does: "the first logon prepares the image",
    begins: /^installed, preparing the image$/,
    limitMinutes: 45,
    remedy: `${look} The last line on the serial port says what was begun.`,
  },
  update: {
    does: "the update is installed, and Windows restarts with it",
    begins: /^installing the update$/,
    limitMinutes: 120,
    remedy: `${look} The machine's SSH server must answer after the restart; C:\\Windows\\Logs\\CBS\\CBS.log on it says what was done.`,
  },
  seal: {
    does: "the nodes' steps run in the image, and it is sealed, over SSH",
    begins: /^(initialized|build \d+\.\d+)$/,
    limitMinutes: 45,
    remedy:
      "The machine's SSH server must answer, also after a reboot: see what the last attempt met.",
  },
  "power-off": {
    does: "sysprep generalizes and shuts down",
    limitMinutes: 45,
    remedy: `${look} Why sysprep stopped is on the serial port, where it did.`,
  },
} as const satisfies Readonly<Record<string, Stage>>;

type StageName = keyof typeof stages;

const order = Object.keys(stages) as StageName[];

/** The last lines of Initialize-Image.ps1: the SSH server answers, now or after the restart. */
const openLines = ["initialized", "updated, rebooting"];

/** How long a resumed machine may take until a script runs on it: a start of Windows, and a login. */
const comeBackMinutes = 15;

/** Setup writes more than this once it copies; partitions and file systems alone are smaller. */
const copyingBytes = 16 * 1024 ** 2;

/** So many restarts before anything is copied are a boot loop. */
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

/** A disk of an interrupted build is unusable. */
export class NotResumed extends StageError {
  constructor(why: string) {
    super(`the machine of the interrupted build is unusable: ${why}`, "The build starts over.");
  }
}

/**
 * Follows the build of an image by what is seen from outside: bytes written to its disk, restarts, lines on the serial
 * port, the power going off.
 */
export class BuildStages {
  stage: StageName = "boot";
  lastSeen = "the machine was switched on";
  /** Whether the machine's SSH server answers, now or after a requested restart. */
  isOpen = false;
  /** Whether it is being sealed: soon nobody can log in. */
  isSealing = false;
  #since: number;
  #restarts = 0;
  #lastRestart = -Infinity;
  /** Whether the host has started scripts on it. */
  #isBack: boolean;

  /**
   * @param slowness factor of all limits: emulation is some ten times slower.
   * @param isResumed whether the machine starts from the disk of a build that was interrupted after Windows was set up.
   */
  constructor(
    private readonly say: (line: string) => void,
    now: number,
    private readonly slowness = 1,
    isResumed = false,
  ) {
    this.#since = now;
    this.#isBack = !isResumed;
    if (isResumed) {
      this.stage = "seal";
      this.isOpen = true;
    }
    this.#tellStage();
  }

  /** Whether Windows is set up, and not being sealed yet: a build that is killed now can be resumed. */
  get isKept(): boolean {
    return this.stage === "seal" && !this.isSealing;
  }

  /** Whether it was started from the disk of an interrupted build that has not proven usable yet. */
  get isDoubtful(): boolean {
    return !this.#isBack;
  }

  /** @param bytes written to the disk since the machine was switched on. */
  wrote(bytes: number, now: number): void {
    if (this.stage === "boot" && bytes > copyingBytes) {
      this.#enter("copy", "the disk is being written to", now);
    }
  }

  /**
   * The machine restarts. QEMU may report one restart several times, as a guest requests it in every way it knows.
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
    // Of Confirm-ImageBuild.ps1, once it has found a supported Windows.
    this.#isBack ||= message.startsWith("build ");
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

  tried(what: string): void {
    this.lastSeen = what;
  }

  /** The sealing script has finished; only the machine's shutdown is missing. */
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
    const { does, remedy } = stages[this.stage];
    return new StageError(`${this.#number()}, ${does}: ${why}`, remedy);
  }

  #number(): string {
    return `stage ${order.indexOf(this.stage) + 1} of ${order.length}`;
  }

  #isBefore(stage: StageName): boolean {
    return order.indexOf(this.stage) < order.indexOf(stage);
  }

  #see(what: string): void {
    this.lastSeen = what;
    this.say(what);
  }

  #enter(stage: StageName, seen: string, now: number): void {
    this.#see(seen);
    this.stage = stage;
    this.#since = now;
    this.#tellStage();
  }

  #tellStage(): void {
    const limit = formatSeconds(this.#limitSeconds());
    this.say(`${this.#number()}: ${stages[this.stage].does}; at most ${limit}`);
  }

  #limitSeconds(): number {
    return (this.#isBack ? stages[this.stage].limitMinutes : comeBackMinutes) * 60 * this.slowness;
  }
}
