import type { StepParameters } from "./step-parameters.ts";
import type { WindowsHost } from "./windows-host.ts";

/** What a behaviour works with. */
export interface StepContext {
  readonly host: WindowsHost;
  readonly parameters: StepParameters;
  /** Everything the session wrote to standard input; undefined where that did not end within 30 s. */
  stdin(): Promise<string | undefined>;
  /** One line on standard output, before the result. No secrets. */
  output(line: string): void;
  /** One line on standard error. No secrets. */
  progress(line: string): void;
  /** Called where half of the work is done and a power cut would hurt most; faults strike here. */
  checkpoint(): Promise<void>;
}

/** What a step's body returns: the same fields as the script's New-StepResult. */
export interface StepOutcome {
  readonly changed: boolean;
  readonly rebootRequired?: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Does to the modelled Windows what a step script does to a real one. */
export type StepBehaviour = (context: StepContext) => Promise<StepOutcome>;
