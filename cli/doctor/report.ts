import { table } from "../table.ts";
import type { StoppedResource } from "../host-resources/stopped.ts";
import type { Diagnosis } from "./examine.ts";
import { repairText } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Whether there is nothing to do. */
export function isFine(diagnosis: Diagnosis): boolean {
  const { problems, leftovers, asleep, findings } = diagnosis;
  return (
    problems.length === 0 &&
    asleep.length === 0 &&
    findings.length === 0 &&
    leftovers.own.length === 0 &&
    leftovers.unknown.length === 0
  );
}

/** The diagnosis as people read it. */
export function doctorText(diagnosis: Diagnosis): string {
  const { stack, lab, present, problems, leftovers, asleep, findings, busy } = diagnosis;
  const things = (list: readonly { readonly kind: string; readonly name: string }[]): string[] =>
    list.map(({ kind, name }) => `  - ${kind} ${name}`);
  const paragraphs = [
    table(
      ["THERE", ""],
      present.map(({ what, detail }) => [what, detail]),
    ),
  ];
  if (problems.length > 0) {
    paragraphs.push(
      [`In the way of the stack ${stack}:`, ...problems.map((each) => `  - ${each}`)].join("\n"),
    );
  }
  if (asleep.length > 0) {
    paragraphs.push(
      [
        `Stopped in the lab ${lab} (\`kindows doctor --fix --stack ${stack}\` starts it, \`up\` does too):`,
        ...asleep.map(asleepLine),
      ].join("\n"),
    );
  }
  if (findings.length > 0) {
    paragraphs.push([`Wrong in the lab ${lab}:`, ...findings.map(findingLine)].join("\n"));
  }
  if (leftovers.own.length > 0) {
    paragraphs.push(
      [
        `Left over from the lab ${lab} (\`kindows doctor --fix --stack ${stack}\` removes it, \`down\` does too):`,
        ...things(leftovers.own),
      ].join("\n"),
    );
  }
  for (const { lab: other, things: list } of leftovers.unknown) {
    paragraphs.push(
      [
        `Left over from a lab ${other} that no project here knows; remove it by its stack's \`kindows down\`, or by hand:`,
        ...things(list),
      ].join("\n"),
    );
  }
  for (const { lab: other, project, things: list } of leftovers.elsewhere) {
    paragraphs.push(
      `The lab ${other} (${list.length} thing${list.length === 1 ? "" : "s"}) is run from ${project}.`,
    );
  }
  if (busy) {
    paragraphs.push(`A run works on the stack ${stack} right now.`);
  }
  paragraphs.push(
    isFine(diagnosis) ? `The stack ${stack} has no problems, and there are no orphans.` : "",
  );
  return paragraphs.filter((each) => each !== "").join("\n\n");
}

function asleepLine({ kind, name, seen, first }: StoppedResource): string {
  return [
    `  - ${kind} ${name}${seen === undefined ? "" : ` (${seen})`}`,
    ...(first === undefined ? [] : [`    --fix leaves it alone; ${first}`]),
  ].join("\n");
}

function findingLine({ name, seen, remedy, repair }: Finding): string {
  return [
    `  - ${name}: ${seen}`,
    `    ${remedy}`,
    ...(repair === undefined ? [] : [`    --fix: ${repairText(repair)}`]),
  ].join("\n");
}
