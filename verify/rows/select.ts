import { closest } from "fastest-levenshtein";
import { osName, type Row, type SampleRow } from "./row.ts";
import { pathRows } from "./paths.ts";
import { controlId, policyRows } from "./policies.ts";

const inPods = (look: "settings" | "metrics", what: string): readonly SampleRow[] =>
  (["linux", "windows"] as const).map((os) => ({
    kind: "sample",
    id: `${os}-${look}`,
    os,
    look,
    title: `${what} a ${osName(os)} pod`,
  }));

/** Rows for those of the project's samples that have a visible result. */
const sampleRows: readonly SampleRow[] = [
  ...inPods("settings", "secret, config map, emptyDir and hostPath in"),
  ...inPods("metrics", "kubelet's metrics of"),
  {
    kind: "sample",
    id: "windows-node-agent",
    os: "windows",
    look: "node-agent",
    title: "DaemonSet on every Windows node",
  },
  {
    kind: "sample",
    id: "windows-web-server",
    os: "windows",
    look: "web-server",
    title: "Windows web server by its NodePort",
  },
  {
    kind: "sample",
    id: "mixed-shop",
    os: "windows",
    look: "shop",
    title: "Linux shop that asks a Windows service",
  },
];

export const allRows: readonly Row[] = [...pathRows, ...policyRows, ...sampleRows];

/**
 * Selects rows by id, in which `*` matches anything. Without patterns, selects all rows. A row of a NetworkPolicy is
 * selected together with its control.
 *
 * @throws an error with every pattern that matches no row, and the most similar id for each.
 */
export function selectRows(patterns: readonly string[]): readonly Row[] {
  if (patterns.length === 0) return allRows;
  const unknown = patterns.filter((pattern) => !allRows.some(({ id }) => fits(id, pattern)));
  if (unknown.length > 0) {
    const ids = allRows.map(({ id }) => id);
    const texts = unknown.map((each) => `"${each}" (did you mean ${closest(each, ids)}?)`);
    throw new Error(
      `--rows: no row is called ${texts.join(", ")}. \`kindows verify --list\` shows all rows`,
    );
  }
  const ids = allRows.map(({ id }) => id).filter((id) => patterns.some((each) => fits(id, each)));
  const chosen = new Set(ids.flatMap((id) => [id, controlId(id)]));
  return allRows.filter(({ id }) => chosen.has(id));
}

function fits(id: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[^a-z0-9-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(id);
}
