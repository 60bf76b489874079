import type { CellResult, Row } from "./play.ts";
import type { TableFault } from "./faults.ts";

/** Results by row and name of the fault; nothing where the fault can't strike in the row. */
export type Results = ReadonlyMap<Row, ReadonlyMap<string, CellResult>>;

/** How a cell ended, in few words. */
export function cellText(result: CellResult | undefined): string {
  if (result === undefined) return "–";
  if (result.problems.length > 0) return "**NOT REPAIRED**";
  if (result.error === undefined) return "goes through";
  return result.code === undefined ? "next up" : `\`${result.code}\`, next up`;
}

/** docs/faults.md. */
export function faultsPage(faults: readonly TableFault[], results: Results): string {
  const rows = [...results.keys()];
  const table = faults.map(({ name }) => [
    name,
    ...rows.map((row) => cellText(results.get(row)?.get(name))),
  ]);
  return [
    "# Faults",
    "",
    "What happens when something goes wrong while a machine becomes a node, or is reset. Each cell was played by",
    "`test/unit/rehearsal-host/fault-table`, which writes this page: the steps run over SSH on the rehearsal host, the model",
    "of a Windows machine, with hollow Kubernetes programs. Afterwards there is one Node, and the machine is as one that",
    "nothing happened to, file by file and setting by setting.",
    "",
    "- **goes through**: the same `up` ends well; the step waits, puts it right, or the fault does not concern it.",
    "- **next up**: the connection is lost, the error names step, machine and what to do; the next `up` ends well.",
    "- **`Code`, next up**: the step ends with this error, which names step, machine and remedy; once that has been done",
    "  (and nothing need be where it is the machine's own), the next `up` ends well.",
    "- **–**: can't happen there.",
    "",
    `| fault | ${rows.map((row) => `\`${row}\``).join(" | ")} |`,
    `| --- |${rows.map(() => " --- |").join("")}`,
    ...table.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    "## What the faults are",
    "",
    ...faults.map(({ name, what }) => `- **${name}**: ${what}.`),
    "",
  ].join("\n");
}
