import { createLogUpdate } from "log-update";
import { table } from "../table.ts";
import { printAbove } from "../progress.ts";

const header = ["NODE", "STAGE", "FOR", "SO FAR"];

/** Where a table is shown: nowhere unless all output is on a terminal. */
export function tableTerminal({ stdout, stderr, env } = process): NodeJS.WriteStream | undefined {
  return stdout.isTTY && stderr.isTTY && env["TERM"] !== "dumb" ? stderr : undefined;
}

/**
 * The current stages of nodes at the bottom of a terminal, redrawn each second. What is printed meanwhile comes above.
 *
 * @param rows the cells, as `header` names them.
 */
export class LiveTable {
  readonly #draw: ReturnType<typeof createLogUpdate>;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly rows: () => readonly (readonly string[])[],
    terminal: NodeJS.WriteStream = process.stderr,
  ) {
    this.#draw = createLogUpdate(terminal);
    this.#timer = setInterval(() => this.draw(), 1000);
    printAbove((line) => this.#above(line));
  }

  draw(): void {
    const rows = this.rows();
    if (rows.length === 0) this.#draw.clear();
    else this.#draw(`\n${table(header, rows)}`);
  }

  #above(line: string): void {
    this.#draw.clear();
    this.#draw.persist(line);
    this.draw();
  }

  /** Removes the table; from now on lines are printed as usual. */
  end(): void {
    clearInterval(this.#timer);
    printAbove(undefined);
    this.#draw.clear();
    this.#draw.done();
  }
}
