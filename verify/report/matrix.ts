import { policyCases } from "../rows/policies.ts";
import { osName, sourceName, type Os, type PathRow, type Source } from "../rows/row.ts";
import type { RowResult } from "../result.ts";

/** A column of the matrix: where paths lead. */
export interface Column {
  readonly key: string;
  readonly title: string;
}

export interface ColumnGroup {
  readonly title: string;
  readonly columns: readonly Column[];
}

/** A line of the matrix: all paths that begin at one place, by column. */
export interface MatrixLine {
  readonly title: string;
  readonly cells: ReadonlyMap<string, RowResult>;
}

const systems: readonly Os[] = ["linux", "windows"];

export const columnGroups: readonly ColumnGroup[] = [
  ...systems.map((os) => ({
    title: `to ${osName(os)}`,
    columns: columns({
      [`${os} pod same`]: "pod, same node",
      [`${os} pod address`]: "pod",
      [`${os} pod name`]: "pod by name",
      ...serviceColumns(os),
      [`${os} host-port`]: "hostPort",
      [`${os} host-pod`]: "host-network pod",
    }),
  })),
  {
    title: "to Windows host-network pods by a Service",
    columns: columns(serviceColumns("windows host")),
  },
  {
    title: "to a pod under a NetworkPolicy, and without it",
    columns: Object.entries(policyCases).flatMap(([name, { title, allowed }]) => [
      { key: `policy ${name} control`, title: "control" },
      { key: `policy ${name}`, title: `${title}: ${allowed ? "allowed" : "denied"}` },
    ]),
  },
  { title: "to the cluster", columns: columns({ dns: "DNS" }) },
  { title: "out", columns: columns({ host: "this host", internet: "internet" }) },
];

function columns(titles: Readonly<Record<string, string>>): readonly Column[] {
  return Object.entries(titles).map(([key, title]) => ({ key, title }));
}

function serviceColumns(servers: string): Readonly<Record<string, string>> {
  return {
    [`${servers} service address`]: "service",
    [`${servers} service name`]: "service by name",
    ...Object.fromEntries(
      systems.map((node) => [`${servers} node-port ${node}`, `NodePort, ${osName(node)} node`]),
    ),
  };
}

export function columnOf({ target }: PathRow): string {
  switch (target.to) {
    case "pod":
      // From another system's pods, and from nodes, there is no such difference.
      return `${target.os} pod ${"nodes" in target && target.nodes === "same" ? "same" : target.by}`;
    case "service":
      return `${systemKey(target)} service ${target.by}`;
    case "node-port":
      return `${systemKey(target)} node-port ${target.node}`;
    case "policy":
      return `policy ${target.policy}${target.control ? " control" : ""}`;
    case "host-port":
    case "host-pod":
      return `${target.os} ${target.to}`;
    case "dns":
    case "host":
    case "internet":
      return target.to;
  }
}

function systemKey({ os, network }: { readonly os: Os; readonly network?: "host" }): string {
  return network === undefined ? os : `${os} ${network}`;
}

/** Lines of the matrix, in the order in which their first paths come. */
export function matrixLines(results: readonly RowResult[]): readonly MatrixLine[] {
  const lines = new Map<string, Map<string, RowResult>>();
  for (const result of results) {
    if (result.row.kind === "path") {
      const title = lineTitle(result.row.from);
      const line = lines.get(title) ?? new Map<string, RowResult>();
      line.set(columnOf(result.row), result);
      lines.set(title, line);
    }
  }
  return [...lines].map(([title, cells]) => ({ title, cells }));
}

function lineTitle(from: Source): string {
  return `from ${from.where === "outside" ? "this host" : `a ${sourceName(from)}`}`;
}
