import { linuxSteps } from "../../components/linux/steps.ts";
import type { Machine } from "../../components/machine/machine.ts";
import { stageTitles, type StepTitle } from "../../components/node/step-title.ts";
import { nodeSteps } from "../../components/windows/steps.ts";

/** A part of a machine's way to a Ready node, as a user knows it. */
export interface Stage extends StepTitle {
  /** Ends of the names of the resources that are made in it, after the node's name; empty: the resource named so itself. */
  readonly resources: readonly string[];
}

/** The resource with which a node is there. */
export const lastResource = "-ready";

type Titled = readonly [title: StepTitle, resource: string];

const windows = nodeSteps.flatMap(({ name, title, programs = [] }): Titled[] => [
  ...programs.map((each): Titled => [stageTitles.programs, `-push-${each.toLowerCase()}`]),
  [title, `-${name.toLowerCase()}`],
]);

const linux = linuxSteps.flatMap(({ name, title, needsPrograms }): Titled[] => [
  ...(needsPrograms ? [[stageTitles.programs, "-push-programs"] as const] : []),
  [title, `-${name}`],
]);

/** The stages of a machine's way, in their order. */
export const stages: Readonly<Record<Machine["os"], readonly Stage[]>> = {
  windows: stagesOf(windows),
  linux: stagesOf(linux),
};

/** Resources with the same title are one stage, which comes where its first one does. */
function stagesOf(steps: readonly Titled[]): Stage[] {
  const byTitle = new Map<string, Stage & { resources: string[] }>();
  const all: Titled[] = [
    ...["-host-key", "-identity", "-disk", "-reservation", ""].map((resource): Titled => [
      stageTitles.disk,
      resource,
    ]),
    ...["-home", "-steps"].map((resource): Titled => [stageTitles.boot, resource]),
    ...steps,
    ...["-registration", lastResource].map((resource): Titled => [stageTitles.ready, resource]),
  ];
  for (const [title, resource] of all) {
    const stage = byTitle.get(title.doing) ?? { ...title, resources: [] };
    byTitle.set(title.doing, stage);
    stage.resources.push(resource);
  }
  return [...byTitle.values()];
}
