import { table } from "../table.ts";
import type { Diagnosis } from "./examine.ts";
import { nameOf, repairText } from "./finding.ts";

/** Whether nothing is wrong with the stack. Things of other labs may be other users', and are in nobody's way. */
export function isFine({ lab, problems, leftovers, asleep, findings }: Diagnosis): boolean {
  const { own, unknown, elsewhere } = leftovers;
  const namesakes = [...unknown, ...elsewhere]
    .filter((other) => other.lab === lab)
    .flatMap(({ things }) => things.filter(({ isOurs }) => isOurs === undefined));
  const all = [problems, asleep, findings, own, namesakes];
  return all.every(({ length }) => length === 0);
}

export function doctorText(diagnosis: Diagnosis): string {
  const { stack, lab, present, problems, leftovers, asleep, findings, busy } = diagnosis;
  const items = (list: readonly string[]): string[] => list.map((each) => `  - ${each}`);
  const things = (list: readonly { readonly kind: string; readonly name: string }[]): string[] =>
    items(list.map(({ kind, name }) => `${kind} ${name}`));
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [[title, ...lines].join("\n")];
  const fix = `\`kindows doctor --fix --stack ${stack}\``;
  return [
    table(
      ["PRESENT", ""],
      present.map(({ what, detail }) => [what, detail]),
    ),
    ...section(`Problems for the stack ${stack}:`, items(problems)),
    ...section(
      `Stopped in the lab ${lab} (${fix} starts it, \`up\` does too):`,
      asleep.flatMap(({ kind, name, seen, first }) => [
        `  - ${kind} ${name}${seen === undefined ? "" : ` (${seen})`}`,
        ...(first === undefined ? [] : [`    --fix leaves it alone; ${first}`]),
      ]),
    ),
    ...section(
      `Problems in the lab ${lab}:`,
      findings.flatMap((finding) => [
        `  - ${nameOf(finding)}: ${finding.seen}`,
        `    ${finding.remedy}`,
        ...(finding.repair === undefined ? [] : [`    --fix: ${repairText(finding.repair)}`]),
      ]),
    ),
    ...section(
      `Left over from the lab ${lab} (${fix} removes it, \`down\` does too):`,
      things(leftovers.own),
    ),
    ...leftovers.unknown.flatMap((other) =>
      section(
        other.lab === lab
          ? `Named like the lab ${lab}, but perhaps another's. If somebody uses it, give this stack another kindows:lab.name; if nobody does, remove it by hand:`
          : `Of a lab ${other.lab} that is in no state here, perhaps another user's; if nobody uses it, it can be removed by hand:`,
        items(other.things.map(({ kind, name, byHand }) => `${kind} ${name}: ${byHand}`)),
      ),
    ),
    ...leftovers.elsewhere.map(
      ({ lab: other, project, things: { length } }) =>
        `The lab ${other} (${length} resource${length === 1 ? "" : "s"}) is run from ${project}.` +
        (other === lab
          ? " Run `kindows down` there, or give this stack another kindows:lab.name."
          : ""),
    ),
    ...(busy ? [`A run is working on the stack ${stack}.`] : []),
    ...(isFine(diagnosis)
      ? [`The stack ${stack} has no problems, and nothing is left over from its lab.`]
      : []),
  ].join("\n\n");
}
