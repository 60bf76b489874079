/** What a machine does in a step, for progress messages. Steps with the same title form one stage. */
export interface StepTitle {
  /** The verb after the machine's name, e.g. "boots". */
  readonly doing: string;
  /** The noun in the summary at the end, e.g. "boot". */
  readonly noun: string;
}

/** What is done to every machine besides the steps of its operating system's list, by the name in its trigger. */
export const otherSteps = {
  copyScripts: "copy-scripts",
  unpackScripts: "unpack-scripts",
  push: "push",
  mintToken: "mint-token",
  register: "register",
  awaitReady: "await-ready",
  /** Everything that is deleted of a node but its machine, and the end of that. */
  leave: "leave",
  gone: "gone",
} as const;

/** Titles of the stages that are the same for all operating systems. */
export const stageTitles = {
  machine: { doing: "gets its machine", noun: "machine" },
  boot: { doing: "boots", noun: "boot" },
  check: { doing: "is checked", noun: "host check" },
  programs: { doing: "gets its programs", noun: "programs" },
  join: { doing: "joins the cluster", noun: "join" },
  ready: { doing: "becomes Ready", noun: "Ready" },
  leave: { doing: "leaves the cluster", noun: "leaving" },
  gone: { doing: "loses its machine", noun: "machine" },
} as const satisfies Record<string, StepTitle>;
