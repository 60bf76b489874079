import type { SettingsProblem } from "../problem.ts";
import type { WrittenExisting } from "./settings.ts";

/** One idea about how the settings of existing machines have to fit together. */
export interface ExistingCheck {
  /** Settings without which the check has nothing sensible to say; as in config/checks. */
  readonly reads: readonly string[];
  /** What does not fit. */
  run(settings: WrittenExisting): SettingsProblem[];
}
