/** What a machine does in a step, for progress messages; steps with the same title are one stage. */
export interface StepTitle {
  /** After the machine's name: "boots". */
  readonly doing: string;
  /** The same as a noun, for the summary at the end: "boot". */
  readonly noun: string;
}

/** Titles of the steps that every operating system has. */
export const stageTitles = {
  disk: { doing: "gets its disk", noun: "disk" },
  boot: { doing: "boots", noun: "boot" },
  check: { doing: "is looked at", noun: "host check" },
  programs: { doing: "gets its programs", noun: "programs" },
  join: { doing: "joins the cluster", noun: "join" },
  ready: { doing: "becomes Ready", noun: "Ready" },
} as const satisfies Record<string, StepTitle>;
