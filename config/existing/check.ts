import type { SettingsProblem } from "../problem.ts";
import type { WrittenExisting } from "./settings.ts";

/** One idea about how the settings of existing machines have to fit together. */
export interface ExistingCheck {
  /** Settings without which the check has nothing sensible to say; as in config/checks. */
  readonly reads: readonly string[];
  /**
   * What does not fit.
   *
   * @param file name of the stack's settings.
   */
  run(settings: WrittenExisting, file: string): SettingsProblem[];
}
