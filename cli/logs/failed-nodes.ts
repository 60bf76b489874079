import { stepErrorCode } from "../../components/windows/step-result.ts";
import type { NodeEvent } from "../engine/events.ts";

/** How a step ends that wants a file which is not, or not whole, on its machine. */
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

  /** Those with a step that did not find a program on its machine, or found another than it was told. */
  get lackingPrograms(): readonly string[] {
    return [...this.#lackingPrograms];
  }
}
