import { placesOfRow } from "./any-byte.ts";
import { every } from "./extent.ts";
import type { TableFault } from "./faults.ts";
import type { CellResult } from "./play.ts";
import { rows } from "./rows.ts";
import type { Results } from "./table.ts";

const anyByte = "SSH drops, at any byte";
const powerCut = "power cut, before each change";

/** How a cell ended, in few words. */
export function cellText(result: CellResult | undefined): string {
  if (result === undefined) return "–";
  if (result.problems.length > 0) return "**NOT REPAIRED**";
  if (result.error === undefined) return "goes through";
  return result.code === undefined ? "next up" : `\`${result.code}\`, next up`;
}

/** docs/faults.md. */
export function faultsPage(
  faults: readonly TableFault[],
  { cells, anyByte: cuts, powerCuts }: Results,
): string {
  const table = [
    ...faults.map(({ name }) => [name, ...rows.map((row) => cellText(cells.get(row)?.get(name)))]),
    [
      powerCut,
      ...rows.map((row) => {
        const { places = 0, problems = [] } = powerCuts.get(row) ?? {};
        if (problems.length > 0) return "**NOT REPAIRED**";
        return places === 0 ? "–" : `${places} places`;
      }),
    ],
    [
      anyByte,
      ...rows.map((row) =>
        cuts.get(row)?.length === 0 ? `${placesOfRow} places` : "**NOT REPAIRED**",
      ),
    ],
  ];
  return [
    "# Faults",
    "",
    "What happens when something goes wrong while a machine becomes a node, or is reset. Each cell was played by",
    "`test/unit/rehearsal-host/fault-table`, which writes this page: the steps run over SSH on the rehearsal host, the model",
    "of a Windows machine, with hollow Kubernetes programs. Afterwards there is one Node, and the machine is as one that",
    "nothing happened to, file by file and setting by setting.",
    "",
    `\`make test\` plays each cell; where one has places, the first, the last and every ${every}th of them. \`make e2e-full\` plays`,
    "them all, in its part `fault-table`, which needs no hypervisor: `make e2e-full PARTS=fault-table`.",
    "",
    "- **goes through**: the same `up` ends well; the step waits, puts it right, or the fault does not concern it.",
    "- **next up**: the connection is lost, or a copy fails; the error names step, machine and what to do; the next `up`",
    "  ends well.",
    "- **`Code`, next up**: the step ends with this error, which names step, machine and remedy; once that has been done",
    "  (and nothing need be where it is the machine's own), the next `up` ends well.",
    "- **–**: can't happen there; why is said below.",
    "",
    `| fault | ${rows.map((row) => `\`${row}\``).join(" | ")} |`,
    `| --- |${rows.map(() => " --- |").join("")}`,
    ...table.map((line) => `| ${line.join(" | ")} |`),
    "",
    "## What the faults are",
    "",
    ...faults.map(({ name, what }) => `- **${name}**: ${what}.`),
    `- **${powerCut}**: the step is run by the interpreter until just before its first, second, ... change of the machine: a file`,
    "  that it writes, moves or removes, a program it starts, a cmdlet that changes something. There the power goes, and what",
    "  was written and not flushed is spoilt; the machine boots, and the step is run again.",
    `- **${anyByte}**: the connection is cut at ${placesOfRow} places of all that goes over it, half of them in what is sent to`,
    "  the machine and half in what it answers, spread from the first greeting to the end, in the middle of messages as well",
    "  as between them. Each *goes through*, while it logs in and dialling goes on, or is *next up*. Besides, the line with",
    "  the result of Set-HostsEntry is cut after each of its characters: never is a part of it taken for a result.",
    "",
    "## What can't happen",
    "",
    ...faults.flatMap(({ name, rows: some, notElsewhere }) =>
      notElsewhere === undefined
        ? []
        : [
            `- **${name}** only in ${(some ?? rows).map((row) => `\`${row}\``).join(", ")}: ${notElsewhere}.`,
          ],
    ),
    "",
  ].join("\n");
}
