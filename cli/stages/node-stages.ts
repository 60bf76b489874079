import type { Machine } from "../../components/machine/machine.ts";
import { formatSeconds } from "../../toolchain/duration.ts";
import type { NodeEvent } from "../engine/events.ts";
import { lastResource, stages, type Stage } from "./stages.ts";

/** A node, and what runs on it. */
export type StagedNode = Pick<Machine, "name" | "os">;

/** Where a node is, and how it came there. */
interface Way {
  readonly startedAt: number;
  /** Place of the stage it is in, and what that is called. */
  stage: number;
  noun: string;
  /** When it came there. */
  since: number;
  /** What the stages behind it took. */
  readonly took: { readonly noun: string; readonly milliseconds: number }[];
}

/** Tells from the engine's events in which stage each node is. */
export class NodeStages {
  readonly #stages: ReadonlyMap<string, readonly Stage[]>;
  readonly #now: () => number;
  readonly #ways = new Map<string, Way>();

  constructor(nodes: readonly StagedNode[], now: () => number = Date.now) {
    this.#stages = new Map(nodes.map(({ name, os }) => [name, stages[os]]));
    this.#now = now;
  }

  /** Takes in an event; returns what is to be told about a node, if that is news. */
  read(event: NodeEvent): string | undefined {
    switch (event.kind) {
      case "begun":
        return this.#enter(event.node, event.resource);
      case "done":
        return event.resource === `${event.node}${lastResource}`
          ? this.#arrive(event.node)
          : undefined;
      case "failed":
        return undefined;
    }
  }

  /** One line about all nodes that are on their way; undefined where none is. */
  get underWay(): string | undefined {
    const now = this.#now();
    const parts = [...this.#ways].map(
      ([node, { stage, since }]) =>
        `${node} ${this.#stages.get(node)?.[stage]?.doing} (${elapsed(now - since)})`,
    );
    return parts.length === 0 ? undefined : parts.join(", ");
  }

  #enter(node: string, resource: string): string | undefined {
    const known = this.#stages.get(node) ?? [];
    const stage = known.findIndex(({ resources }) =>
      resources.some((end) => `${node}${end}` === resource),
    );
    const found = known[stage];
    if (found === undefined) return undefined;
    const now = this.#now();
    const way = this.#ways.get(node);
    if (way === undefined) {
      this.#ways.set(node, { startedAt: now, stage, noun: found.noun, since: now, took: [] });
      return `${node} ${found.doing}`;
    }
    // Resources of a later stage may begin before those of an earlier one: pushes go side by side.
    if (stage <= way.stage) return undefined;
    leave(way, now);
    way.stage = stage;
    way.noun = found.noun;
    return `${node} ${found.doing} (${elapsed(now - way.startedAt)} so far)`;
  }

  #arrive(node: string): string | undefined {
    const way = this.#ways.get(node);
    if (way === undefined) return undefined;
    const now = this.#now();
    leave(way, now);
    this.#ways.delete(node);
    const parts = way.took.map(({ noun, milliseconds }) => `${noun} ${elapsed(milliseconds)}`);
    return `${node} is Ready after ${elapsed(now - way.startedAt)}: ${parts.join(", ")}`;
  }
}

function elapsed(milliseconds: number): string {
  return formatSeconds(Math.round(milliseconds / 1000));
}

function leave(way: Way, now: number): void {
  way.took.push({ noun: way.noun, milliseconds: now - way.since });
  way.since = now;
}
