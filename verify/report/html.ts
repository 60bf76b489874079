import {
  byReason,
  counts,
  isGood,
  type RowResult,
  type Status,
  statuses,
  statusNames,
  type Verification,
} from "../result.ts";
import { rowTitle } from "../rows/row.ts";
import { xmlText } from "../../host/xml-text.ts";
import { columnGroups, matrixLines } from "./matrix.ts";

/** Symbols that distinguish statuses without colour. */
const signs: Readonly<Record<Status, string>> = {
  passed: "✓",
  failed: "✕",
  rehearsed: "◐",
  "not-runnable": "–",
};

/** The run as one page that loads nothing: the matrix of paths, the samples, and why what failed did. */
export function htmlText(verification: Verification): string {
  const { results, stack } = verification;
  const failures = results.filter(({ status }) => status === "failed");
  const skipped = results.filter(
    ({ status }) => status === "rehearsed" || status === "not-runnable",
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${xmlText(`kindows verify: ${stack}`)}</title>
<style>${pageStyle}</style>
</head>
<body>
${headHtml(verification)}
${matrixHtml(results)}
${samplesHtml(results)}
${failures.length === 0 ? "" : `<h2>Failed</h2>\n${failures.map(failureHtml).join("\n")}`}
${skipped.length === 0 ? "" : `<h2>Not shown to work</h2>\n${skippedHtml(skipped)}`}
</body>
</html>
`;
}

function headHtml({ stack, started, seconds, nodes, results, rehearsal }: Verification): string {
  const numbers = counts(results);
  const sums = statuses.map(
    (status) =>
      `<li class="${status}"><span class="sign">${signs[status]}</span> <b>${numbers[status]}</b> ${statusNames[status]}</li>`,
  );
  const lines = nodes.map(
    ({ name, os, version, system }) =>
      `<tr><td>${xmlText(name)}</td><td>${xmlText(os)}</td><td>${xmlText(version)}</td><td>${xmlText(system)}</td></tr>`,
  );
  const note = rehearsal
    ? `<p class="note">A rehearsal: Windows is simulated, with Kubernetes' Windows programs under Wine. Nothing on this page was tested on Windows itself.</p>`
    : "";
  return `<h1 class="${isGood(results) ? "passed" : "failed"}">Network of ${xmlText(stack)}</h1>
<p class="when">${xmlText(started.toISOString().slice(0, 16).replace("T", " "))} UTC, ${seconds.toFixed(0)} s</p>
<ul class="sums">${sums.join("")}</ul>
${note}
<table class="nodes">${lines.join("")}</table>`;
}

function matrixHtml(results: readonly RowResult[]): string {
  const lines = matrixLines(results);
  if (lines.length === 0) return "";
  const groups = columnGroups.map(
    ({ title, columns }) => `<th class="group" colspan="${columns.length}">${xmlText(title)}</th>`,
  );
  const heads = columnGroups.flatMap(({ columns }) =>
    columns.map(
      ({ title }, index) =>
        `<th class="head${index === 0 ? " first" : ""}"><span>${xmlText(title)}</span></th>`,
    ),
  );
  const body = lines.map(({ title, cells }) => {
    const boxes = columnGroups.flatMap(({ columns }) =>
      columns.map(({ key }, index) => cellHtml(cells.get(key), index === 0)),
    );
    return `<tr><th class="from">${xmlText(title)}</th>${boxes.join("")}</tr>`;
  });
  return `<div class="wide"><table class="matrix">
<thead><tr><th></th>${groups.join("")}</tr><tr><th></th>${heads.join("")}</tr></thead>
<tbody>
${body.join("\n")}
</tbody>
</table></div>`;
}

function cellHtml(result: RowResult | undefined, first: boolean): string {
  const edge = first ? " first" : "";
  if (result === undefined) return `<td class="none${edge}"></td>`;
  const { row, status, reason, seen } = result;
  const texts = [
    `${rowTitle(row)}: ${statusNames[status]}`,
    reason,
    status === "failed" ? "" : seen,
  ];
  const tip = texts.filter((text) => text !== "").join(". ");
  const sign = `<span class="box ${status}" title="${xmlText(tip)}">${signs[status]}</span>`;
  const content = status === "failed" ? `<a href="#${xmlText(row.id)}">${sign}</a>` : sign;
  return `<td class="cell${edge}">${content}</td>`;
}

function samplesHtml(results: readonly RowResult[]): string {
  const lines = results
    .filter(({ row }) => row.kind === "sample")
    .map(
      ({ row, status }) =>
        `<tr><td><span class="box ${status}">${signs[status]}</span></td><td>${xmlText(rowTitle(row))}</td><td>${statusNames[status]}</td></tr>`,
    );
  return lines.length === 0
    ? ""
    : `<h2>Samples</h2>\n<table class="list">${lines.join("")}</table>`;
}

function failureHtml({ row, reason, tried, seen, seconds }: RowResult): string {
  const facts = [
    ...tried.map((command) => `<dt>tried</dt><dd><code>${xmlText(command)}</code></dd>`),
    ...(seen === "" ? [] : [`<dt>seen</dt><dd><code>${xmlText(seen)}</code></dd>`]),
  ];
  return `<section class="failure" id="${xmlText(row.id)}">
<h3>${xmlText(rowTitle(row))} <small>${xmlText(row.id)}, ${seconds.toFixed(1)} s</small></h3>
<p>${xmlText(reason)}</p>
<dl>${facts.join("")}</dl>
</section>`;
}

/** Rows by the reason they have in common. */
function skippedHtml(skipped: readonly RowResult[]): string {
  const lines = [...byReason(skipped)].map(([reason, [first, ...others]]) => {
    const status = first?.status ?? "not-runnable";
    const titles = [...(first ? [first] : []), ...others].map(({ row }) => rowTitle(row));
    return `<tr><td><span class="box ${status}">${signs[status]}</span></td><td><p>${xmlText(reason)}</p><ul>${titles.map((title) => `<li>${xmlText(title)}</li>`).join("")}</ul></td></tr>`;
  });
  return `<table class="list reasons">${lines.join("")}</table>`;
}

/** Look of the page: light or dark as the reader has it, and fit for print. */
const pageStyle = `
:root { color-scheme: light dark; --text: #1c2330; --dim: #667085; --line: #d8dde6; --back: #fff; --panel: #f5f7fa;
  --passed: #1a7f4b; --failed: #c4281c; --rehearsed: #1f6fb2; --idle: #98a2b3; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ef; --dim: #98a2b3; --line: #333c4a; --back: #12161d;
  --panel: #1b212b; --passed: #2fa56a; --failed: #e5574b; --rehearsed: #4c9be0; --idle: #5b6678; } }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: var(--text);
  background: var(--back); margin: 2rem auto; max-width: 82rem; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; margin: 0; padding-left: .8rem; border-left: .4rem solid var(--passed); }
h1.failed { border-color: var(--failed); }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0; }
small, .when { color: var(--dim); font-weight: normal; }
.when { margin: .2rem 0 1rem 1.2rem; }
.sums { list-style: none; display: flex; flex-wrap: wrap; gap: .6rem 1.6rem; margin: 0 0 1rem; padding: 0; }
.sums .sign { font-weight: bold; }
.sums .passed .sign { color: var(--passed); }
.sums .failed .sign { color: var(--failed); }
.sums .rehearsed .sign { color: var(--rehearsed); }
.note { background: var(--panel); border-left: .3rem solid var(--rehearsed); padding: .5rem .8rem; margin: 0 0 1rem; }
table { border-collapse: collapse; }
.nodes td { padding: 0 1.2rem 0 0; color: var(--dim); font-size: .9em; }
.wide { overflow-x: auto; margin-top: 1.4rem; }
.matrix th { font-weight: normal; font-size: .85em; }
.matrix .group { font-weight: 600; padding-bottom: .3rem; border-left: 1px solid var(--line); }
.matrix .head { height: 10.5rem; vertical-align: bottom; padding: 0; }
.matrix .head span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; padding: .3rem 0; }
.matrix .from { text-align: right; white-space: nowrap; padding-right: .8rem; font-weight: 600; }
.matrix td { padding: 3px; text-align: center; border-top: 1px solid var(--line); }
.matrix .first { border-left: 1px solid var(--line); }
.matrix a { text-decoration: none; }
.box { display: inline-flex; align-items: center; justify-content: center; width: 2.3rem; height: 1.9rem;
  border-radius: .35rem; color: #fff; font-weight: bold; }
.box.passed { background: var(--passed); }
.box.failed { background: var(--failed); }
.box.rehearsed { background: var(--rehearsed); }
.box.not-runnable { color: var(--dim); background: var(--panel); border: 1px dashed var(--idle); box-sizing: border-box; }
.list td { padding: .25rem 1rem .25rem 0; border-top: 1px solid var(--line); vertical-align: top; }
.list .box { width: 1.6rem; height: 1.4rem; font-size: .85em; }
.reasons { width: 100%; }
.reasons td { padding: .6rem 1rem .6rem 0; }
.reasons td:first-child { width: 1.6rem; }
.reasons p { margin: 0 0 .3rem; overflow-wrap: anywhere; }
.reasons ul { columns: 19rem; margin: 0; padding: 0; list-style: none; color: var(--dim); font-size: .92em; }
.reasons li { padding-left: 1rem; text-indent: -1rem; break-inside: avoid; }
.failure { border-left: .3rem solid var(--failed); background: var(--panel); padding: .6rem 1rem; margin: .8rem 0; }
.failure p { margin: .3rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .8rem; margin: .3rem 0 0; }
dt { color: var(--dim); }
dd { margin: 0; min-width: 0; }
dd code { white-space: pre-wrap; }
code { font: .85em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
@media print { body { margin: 0; } .box { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
