import type { HostProblem } from "../../../config/host-problem.ts";

/** What the checks of a cluster find: problems that keep machines from joining it, and what is only worth a warning. */
export class Findings {
  readonly problems: HostProblem[] = [];
  readonly warnings: string[] = [];

  report(subject: string, why: string, instead: string): void {
    this.problems.push({ subject, why, instead });
  }

  warn(warning: string): void {
    this.warnings.push(warning);
  }
}
