import type { Machine } from "../../components/machine/machine.ts";
import { formatSeconds } from "../../toolchain/progress-text.ts";
import type { NodeEvent, NodePart } from "../engine/events.ts";
import { linuxSteps } from "../../components/linux/steps.ts";
import { otherSteps, stageTitles, type StepTitle } from "../../components/node/step-title.ts";
import { nodeSteps } from "../../components/windows/steps.ts";
import { LiveTable } from "./live-table.ts";

/** A node and its operating system. */
export type StagedNode = Pick<Machine, "name" | "os">;

interface Progress {
  readonly startedAt: number;
  /** Index of the current stage, and its name as a noun. */
  stage: number;
  noun: string;
  since: number;
  readonly durations: { readonly noun: string; readonly milliseconds: number }[];
}

/** Longest time without a message about nodes in progress, in seconds. */
const silenceSeconds = 30;

/**
 * Reports each node's stages from the engine's events, and repeats the current ones after a silence. On a terminal it
 * shows them in a table instead, and reports only when a node is Ready.
 */
export class NodeStages {
  readonly #stages: ReadonlyMap<string, readonly Stage[]>;
  /** Those of other nodes. */
  readonly #others: readonly Stage[];
  readonly #say: (line: string) => void;
  readonly #last: string;
  readonly #finished = new Set<string>();
  readonly #progress = new Map<string, Progress>();
  readonly #timer: NodeJS.Timeout;
  readonly #table: LiveTable | undefined;

  /**
   * @param terminal where a table is shown. Default: nowhere.
   * @param awaitsReady whether `up` waits until nodes are Ready; otherwise it ends with the join. Default: true.
   * @param isLeaving whether all nodes, also others than these, go with their stack.
   */
  constructor(
    nodes: readonly StagedNode[],
    say: (line: string) => void,
    {
      terminal,
      awaitsReady = true,
      isLeaving = false,
    }: {
      readonly terminal?: NodeJS.WriteStream | undefined;
      readonly awaitsReady?: boolean;
      readonly isLeaving?: boolean;
    } = {},
  ) {
    this.#last = isLeaving ? otherSteps.gone : otherSteps[awaitsReady ? "awaitReady" : "register"];
    this.#others = isLeaving ? leavingStages : [];
    this.#stages = new Map(nodes.map(({ name, os }) => [name, stages[os]]));
    this.#say = say;
    this.#timer = setInterval(() => this.#report(this.#underWay()), silenceSeconds * 1000);
    this.#table = terminal && new LiveTable(() => this.#rows(), terminal);
  }

  read(event: NodeEvent): void {
    if (event.kind === "begun") this.#report(this.#enter(event.node, event));
    if (event.kind === "done" && "step" in event && event.step === this.#last) {
      this.#report(this.#finish(event.node), true);
    }
    this.#table?.draw();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#table?.end();
  }

  /** @param stays whether it is not only what a table shows. */
  #report(line: string | undefined, stays = false): void {
    if (line === undefined || (this.#table !== undefined && !stays)) return;
    this.#timer.refresh();
    this.#say(`[${line}]`);
  }

  #stagesOf(node: string): readonly Stage[] {
    return this.#stages.get(node) ?? this.#others;
  }

  /** The nodes in progress, for the table. */
  #rows(): string[][] {
    const now = Date.now();
    return [...this.#progress].map(([node, { stage, since, startedAt }]) => [
      node,
      this.#stagesOf(node)[stage]?.doing ?? "",
      elapsed(now - since),
      elapsed(now - startedAt),
    ]);
  }

  /** One line about all nodes in progress; undefined if there are none. */
  #underWay(): string | undefined {
    const now = Date.now();
    const parts = [...this.#progress].map(
      ([node, { stage, since }]) =>
        `${node} ${this.#stagesOf(node)[stage]?.doing} (${elapsed(now - since)})`,
    );
    return parts.length === 0 ? undefined : parts.join(", ");
  }

  #enter(node: string, part: NodePart): string | undefined {
    if (this.#finished.has(node)) return undefined;
    const known = this.#stagesOf(node);
    const stage = known.findIndex(({ steps }) =>
      steps.includes("step" in part ? part.step : machine),
    );
    const found = known[stage];
    if (found === undefined) return undefined;
    const now = Date.now();
    const progress = this.#progress.get(node);
    if (progress === undefined) {
      const { noun } = found;
      this.#progress.set(node, { startedAt: now, stage, noun, since: now, durations: [] });
      return `${node} ${found.doing}`;
    }
    // Resources of a later stage may begin before those of an earlier one, as pushes run in parallel.
    if (stage <= progress.stage) return undefined;
    endStage(progress, now);
    progress.stage = stage;
    progress.noun = found.noun;
    return `${node} ${found.doing} (${elapsed(now - progress.startedAt)} so far)`;
  }

  #finish(node: string): string | undefined {
    const progress = this.#progress.get(node);
    if (progress === undefined) return undefined;
    const now = Date.now();
    endStage(progress, now);
    this.#progress.delete(node);
    this.#finished.add(node);
    const parts = progress.durations.map(
      ({ noun, milliseconds }) => `${noun} ${elapsed(milliseconds)}`,
    );
    const done = endings.get(this.#last) ?? "";
    return `${node} ${done} after ${elapsed(now - progress.startedAt)}: ${parts.join(", ")}`;
  }
}

/** What a node is after its last step. */
const endings: ReadonlyMap<string, string> = new Map([
  [otherSteps.awaitReady, "is Ready"],
  [otherSteps.register, "has joined, and waits for your pod network,"],
  [otherSteps.gone, "is gone"],
]);

function elapsed(milliseconds: number): string {
  return formatSeconds(Math.round(milliseconds / 1000));
}

function endStage(progress: Progress, now: number): void {
  progress.durations.push({ noun: progress.noun, milliseconds: now - progress.since });
  progress.since = now;
}

/** A stage from a machine to a Ready node. */
interface Stage extends StepTitle {
  /** The steps that it consists of; `machine` for the machine itself. */
  readonly steps: readonly string[];
}

/** Stands for the resources of the machine itself. */
const machine = "machine";

/** The stages of a node that goes with its stack. */
const leavingStages: readonly Stage[] = [
  { ...stageTitles.leave, steps: [otherSteps.leave] },
  { ...stageTitles.gone, steps: [machine] },
];

type Titled = readonly [title: StepTitle, step: string];

/** The stages of a machine, in their order. */
export const stages: Readonly<Record<Machine["os"], readonly Stage[]>> = {
  windows: stagesOf(
    nodeSteps.flatMap(({ name, title, programs }): Titled[] => [
      ...(programs === undefined ? [] : [[stageTitles.programs, otherSteps.push] as const]),
      [title, name],
    ]),
  ),
  linux: stagesOf(
    linuxSteps.flatMap(({ name, title, needsPrograms }): Titled[] => [
      ...(needsPrograms ? [[stageTitles.programs, otherSteps.push] as const] : []),
      [title, name],
    ]),
  ),
};

/** Steps with the same title are one stage, at the position of the first one. */
function stagesOf(steps: readonly Titled[]): Stage[] {
  const byTitle = new Map<string, StepTitle & { readonly steps: string[] }>();
  const all: Titled[] = [
    [stageTitles.machine, machine],
    [stageTitles.boot, otherSteps.copyScripts],
    [stageTitles.boot, otherSteps.unpackScripts],
    ...steps,
    [stageTitles.ready, otherSteps.register],
    [stageTitles.ready, otherSteps.awaitReady],
  ];
  for (const [title, step] of all) {
    const stage = byTitle.get(title.doing) ?? { ...title, steps: [] };
    byTitle.set(title.doing, stage);
    stage.steps.push(step);
  }
  return [...byTitle.values()];
}
