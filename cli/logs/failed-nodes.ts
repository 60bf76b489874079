import { stripVTControlCharacters } from "node:util";
import { NodesByResource } from "../nodes-by-resource.ts";

/** How a step ends that wants a file which is not, or not whole, on its machine. */
const unusableMedium = / failed \((MediumMissing|ChecksumMismatch)\): /;

/**
 * Finds out from what the engine prints which nodes failed: its diagnostics name each resource, and then its errors.
 */
export class FailedNodes {
  readonly #nodes: NodesByResource;
  readonly #failed = new Set<string>();
  readonly #lackingMedia = new Set<string>();
  #current: string | undefined;

  /** @param names names of all nodes. */
  constructor(names: readonly string[]) {
    this.#nodes = new NodesByResource(names);
  }

  /** Takes in one line of the engine's output. */
  read(line: string): void {
    const text = stripVTControlCharacters(line);
    const resource = /^\s*[\w:/@.-]+:\w+ \(([\w.-]+)\):\s*$/.exec(text)?.[1];
    if (resource !== undefined) {
      this.#current = this.#nodes.nodeOf(resource);
      return;
    }
    if (this.#current === undefined) {
      return;
    }
    if (/^\s*error: /.test(text)) {
      this.#failed.add(this.#current);
    }
    if (unusableMedium.test(text)) {
      this.#lackingMedia.add(this.#current);
    }
  }

  get names(): readonly string[] {
    return [...this.#failed];
  }

  /** Those with a step that did not find a program on its machine, or found another than it was told. */
  get lackingMedia(): readonly string[] {
    return [...this.#lackingMedia];
  }
}
