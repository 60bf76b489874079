import { osName, sourceName, type PathRow } from "../rows/row.ts";
import type { RowResult } from "../result.ts";
import type { Os } from "../objects/names.ts";
import { policyCases } from "../rows/policy-cases.ts";

/** A column of the matrix: a destination of paths. */
interface Column {
  readonly key: string;
  readonly title: string;
}

interface ColumnGroup {
  readonly title: string;
  readonly columns: readonly Column[];
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
      // Only paths between pods of the same system distinguish the same node and another node.
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

/**
 * Lines of the matrix: the results of all paths from one source, by column. Sources are in the order of the results.
 */
export function matrixLines(
  results: readonly RowResult[],
): ReadonlyMap<string, ReadonlyMap<string, RowResult>> {
  const lines = new Map<string, Map<string, RowResult>>();
  for (const result of results) {
    const { row } = result;
    if (row.kind !== "path") continue;
    const from = row.from.where === "outside" ? "this host" : `a ${sourceName(row.from)}`;
    const line = lines.get(`from ${from}`) ?? new Map<string, RowResult>();
    lines.set(`from ${from}`, line.set(columnOf(row), result));
  }
  return lines;
}
