import {
  byReason,
  counts,
  isGood,
  statusNames,
  statuses,
  type RowResult,
  type Status,
  type Verification,
} from "../result.ts";
import { rowTitle } from "../rows/row.ts";
import { xmlText } from "../../host/xml-text.ts";
import { columnGroups, matrixLines } from "./matrix.ts";
import { pageStyle } from "./page-style.ts";

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
  if (lines.length === 0) {
    return "";
  }
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
  if (result === undefined) {
    return `<td class="none${edge}"></td>`;
  }
  const { row, status, reason } = result;
  const tip = `${rowTitle(row)}: ${statusNames[status]}${reason === "" ? "" : `. ${reason}`}`;
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
