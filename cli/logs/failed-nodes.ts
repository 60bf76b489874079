/**
 * Finds out from what the engine prints which nodes failed: its diagnostics name each resource, and then its errors.
 */
export class FailedNodes {
  readonly #names: readonly string[];
  readonly #failed = new Set<string>();
  #current: string | undefined;

  /** @param names names of all nodes. */
  constructor(names: readonly string[]) {
    // The longest first: win-1 is how win-1-a begins.
    this.#names = [...names].sort((one, other) => other.length - one.length);
  }

  /** Takes in one line of the engine's output. */
  read(line: string): void {
    const resource = /^\s*[\w:/@.-]+:\w+ \(([\w.-]+)\):\s*$/.exec(withoutColor(line))?.[1];
    if (resource !== undefined) {
      this.#current = this.#names.find((name) => resource.startsWith(`${name}-`));
    } else if (this.#current !== undefined && /^\s*error: /.test(withoutColor(line))) {
      this.#failed.add(this.#current);
    }
  }

  get names(): readonly string[] {
    return [...this.#failed];
  }
}

function withoutColor(line: string): string {
  return line.replaceAll(/\u001b\[[0-9;]*m/g, "");
}
