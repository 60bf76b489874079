import { stepErrorCode } from "../../components/windows/step-result.ts";
import type { NodeEvent } from "../engine/events.ts";

/** Error codes of steps that find a file missing or damaged. */
const unusablePrograms: readonly string[] = ["MediumMissing", "ChecksumMismatch"];

/** Finds out from the engine's events which nodes failed. */
export class FailedNodes {
  readonly #failed = new Set<string>();
  readonly #lackingPrograms = new Set<string>();

  read(event: NodeEvent): void {
    if (event.kind !== "failed") return;
    this.#failed.add(event.node);
    if (unusablePrograms.includes(stepErrorCode(event.message) ?? "")) {
      this.#lackingPrograms.add(event.node);
    }
  }

  get names(): readonly string[] {
    return [...this.#failed];
  }

  /** Nodes with a step that found a program missing, or with a different checksum. */
  get lackingPrograms(): readonly string[] {
    return [...this.#lackingPrograms];
  }
}
