import type { NodeEvent } from "../engine/events.ts";
import { NodeStages, type StagedNode } from "./node-stages.ts";

/** Longest time without a word about nodes that are on their way, in seconds. */
const silenceSeconds = 30;

/** Tells each node's stages as the engine goes on, and that it is still in one while nothing else is told. */
export class ToldStages {
  readonly #stages: NodeStages;
  readonly #say: (line: string) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(nodes: readonly StagedNode[], say: (line: string) => void) {
    this.#stages = new NodeStages(nodes);
    this.#say = say;
    this.#timer = setInterval(() => this.#tell(this.#stages.underWay), silenceSeconds * 1000);
  }

  read(event: NodeEvent): void {
    this.#tell(this.#stages.read(event));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tell(line: string | undefined): void {
    if (line === undefined) return;
    this.#timer.refresh();
    this.#say(`[${line}]`);
  }
}
