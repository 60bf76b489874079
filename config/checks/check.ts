import type { SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** One idea about how settings have to fit together. */
export interface Check {
  /**
   * Settings without which the check has nothing sensible to say, e.g. `network.cidr`: it is left out when one of
   * them, or what it is a part of, is malformed, as that is said already.
   */
  readonly reads: readonly string[];
  /** What does not fit. */
  run(settings: NamedSettings): SettingsProblem[];
}
