import { readFileSync } from "node:fs";
import path from "node:path";

import { xmlText } from "../../host/xml-text.ts";
import { projectRoot } from "../../toolchain/project.ts";
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
import { columnGroups, matrixLines } from "./matrix.ts";

const styleFile = path.join(projectRoot, "verify", "report", "page.css");

/** Symbols that distinguish the statuses without colour. */
const signs: Readonly<Record<Status, string>> = {
  passed: "✓",
  failed: "✕",
  rehearsed: "◐",
  "not-runnable": "–",
};

/** The run as a self-contained page with the matrix of paths, the samples, and the reasons of failures. */
export function htmlText(verification: Verification): string {
  const { results, stack } = verification;
  const failures = results.filter(({ status }) => status === "failed");
  const skipped = results.filter(({ status }) => !["passed", "failed"].includes(status));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${xmlText(`kindows verify: ${stack}`)}</title>
<style>${readFileSync(styleFile, "utf8")}</style>
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

function tableRow(...cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function box(status: Status, tip?: string): string {
  const title = tip === undefined ? "" : ` title="${xmlText(tip)}"`;
  return `<span class="box ${status}"${title}>${signs[status]}</span>`;
}

function headHtml({ stack, started, seconds, nodes, results, rehearsal }: Verification): string {
  const numbers = counts(results);
  const sums = statuses.map(
    (status) =>
      `<li class="${status}"><span class="sign">${signs[status]}</span> <b>${numbers[status]}</b> ${statusNames[status]}</li>`,
  );
  const lines = nodes.map(({ name, os, version, system }) =>
    tableRow(...[name, os, version, system].map(xmlText)),
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
  if (lines.size === 0) return "";
  const groups = columnGroups.map(
    ({ title, columns }) => `<th class="group" colspan="${columns.length}">${xmlText(title)}</th>`,
  );
  // The first column of a group has a line that separates it from the group before.
  const columns = columnGroups.flatMap((group) =>
    group.columns.map((column, index) => ({ ...column, edge: index === 0 ? " first" : "" })),
  );
  const heads = columns.map(
    ({ title, edge }) => `<th class="head${edge}"><span>${xmlText(title)}</span></th>`,
  );
  const body = [...lines].map(([title, cells]) => {
    const boxes = columns.map(({ key, edge }) => cellHtml(cells.get(key), edge));
    return `<tr><th class="from">${xmlText(title)}</th>${boxes.join("")}</tr>`;
  });
  return `<div class="wide"><table class="matrix">
<thead><tr><th></th>${groups.join("")}</tr><tr><th></th>${heads.join("")}</tr></thead>
<tbody>
${body.join("\n")}
</tbody>
</table></div>`;
}

function cellHtml(result: RowResult | undefined, edge: string): string {
  if (result === undefined) return `<td class="none${edge}"></td>`;
  const { row, status, reason, seen } = result;
  const texts = [`${rowTitle(row)}: ${statusNames[status]}`, reason];
  const all = status === "failed" ? texts : [...texts, seen];
  const sign = box(status, all.filter((text) => text !== "").join(". "));
  const content = status === "failed" ? `<a href="#${xmlText(row.id)}">${sign}</a>` : sign;
  return `<td class="cell${edge}">${content}</td>`;
}

function samplesHtml(results: readonly RowResult[]): string {
  const lines = results
    .filter(({ row }) => row.kind === "sample")
    .map(({ row, status }) =>
      tableRow(box(status), xmlText(rowTitle(row)), xmlText(statusNames[status])),
    );
  return lines.length === 0
    ? ""
    : `<h2>Samples</h2>\n<table class="list">${lines.join("")}</table>`;
}

function failureHtml({ row, reason, tried, seen, seconds }: RowResult): string {
  const facts = [...tried.map((command) => ["tried", command]), ["seen", seen]]
    .filter(([, text]) => text !== "")
    .map(([word = "", text = ""]) => `<dt>${word}</dt><dd><code>${xmlText(text)}</code></dd>`);
  return `<section class="failure" id="${xmlText(row.id)}">
<h3>${xmlText(rowTitle(row))} <small>${xmlText(row.id)}, ${seconds.toFixed(1)} s</small></h3>
<p>${xmlText(reason)}</p>
<dl>${facts.join("")}</dl>
</section>`;
}

function skippedHtml(skipped: readonly RowResult[]): string {
  const lines = [...byReason(skipped)].map(([reason, group]) => {
    const titles = group.map(({ row }) => `<li>${xmlText(rowTitle(row))}</li>`);
    const about = `<p>${xmlText(reason)}</p><ul>${titles.join("")}</ul>`;
    return tableRow(box(group[0]?.status ?? "not-runnable"), about);
  });
  return `<table class="list reasons">${lines.join("")}</table>`;
}
