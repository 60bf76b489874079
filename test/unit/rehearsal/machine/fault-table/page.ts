import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { faults } from "./faults.ts";
import { type Row, rows } from "./rows.ts";
import { type CellResult, every, type Results } from "./table.ts";

const notRepaired = "**NOT REPAIRED**";

/** A cell's outcome in few words; undefined if the fault cannot occur. */
function cellText(result: CellResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  if (result.problems.length > 0) return notRepaired;
  if (result.error === undefined) return "succeeds";
  return result.code === undefined ? "next `up`" : `\`${result.code}\``;
}

/** Outcomes with their rows. If there are several, the most common one comes last and names no rows. */
function outcomes(text: (row: Row) => string | undefined): string {
  const byText = new Map<string, Row[]>();
  for (const row of rows) {
    const end = text(row);
    if (end !== undefined) byText.set(end, [...(byText.get(end) ?? []), row]);
  }
  const groups = [...byText].sort(([, one], [, other]) => one.length - other.length);
  return groups
    .map(([end, some], index) => {
      const isLast = index === groups.length - 1;
      const where = some.map((row) => `\`${row}\``).join(", ");
      if (isLast && index > 0) return `elsewhere ${end}`;
      return `${end} (${some.length === rows.length ? "everywhere" : where})`;
    })
    .join("; ");
}

export const pageFile = fileURLToPath(new URL("../../../../../docs/faults.md", import.meta.url));

/** docs/faults.md. */
export async function faultsPage(results: Results): Promise<string> {
  const config = await resolveConfig(pageFile);
  return format(pageText(results), { ...config, filepath: pageFile });
}

function pageText({ cells, powerCuts }: Results): string {
  const places = (row: Row): string | undefined => {
    const { places: count = 0, problems = [] } = powerCuts.get(row) ?? {};
    if (problems.length > 0) return notRepaired;
    return count === 0 ? undefined : `${count}`;
  };
  const powerCutRows = rows.flatMap((row) => {
    const count = places(row);
    return count === undefined ? [] : [`\`${row}\` ${count}`];
  });
  return [
    "# Faults",
    "",
    "What happens when something goes wrong while a machine becomes a node or is reset. `test/unit/rehearsal/machine/fault-table`",
    "plays each case and writes this page: the steps run over SSH on the rehearsed machine, the model of a Windows machine, with",
    "fake Kubernetes programs. After each case there is one Node, and the machine is the same as one without a fault, file by",
    "file and setting by setting.",
    "",
    `\`make test\` plays each case; of cases with places, the first, the last and every ${every}th place. The part \`fault-table\` of`,
    "`make e2e-full` plays all places, without a hypervisor: `make e2e-full PARTS=fault-table`.",
    "",
    "- **succeeds**: the same `up` succeeds: the step waits, repairs the fault, or is not affected.",
    "- **next `up`**: the connection is lost, or a copy fails. The error names step, machine and remedy; the next `up` succeeds.",
    "- **`Code`**: the step fails with this error, which names step, machine and remedy. Once you have followed the remedy (no",
    "  remedy is needed if the machine recovers by itself), the next `up` succeeds.",
    "",
    `Places where a fault strikes: ${rows.map((row) => `\`${row}\``).join(", ")}.`,
    "",
    "## The faults",
    "",
    ...faults.map(({ name, what, rows: some, notElsewhere }) => {
      const only =
        notElsewhere === undefined || (some ?? rows).length === rows.length
          ? ""
          : ` It cannot happen elsewhere: ${notElsewhere}.`;
      return `- **${name}**: ${what}. Result: ${outcomes((row) => cellText(cells.get(row)?.get(name)))}.${only}`;
    }),
    "- **power cut, before each change**: the interpreter runs the step until just before its first, second, ... change of the",
    "  machine: a file that it writes, moves or removes, a program it starts, a cmdlet that changes something. There the power",
    "  goes, and what was written but not flushed is corrupted; the machine boots, and the step runs again. Places:",
    `  ${powerCutRows.join(", ")}.`,
    "- **SSH drops, at any character of the result**: the line with the result of Set-HostsEntry is cut after each of its",
    "  characters: a part of it is never taken for a result. Result: next `up`.",
    "",
  ].join("\n");
}
