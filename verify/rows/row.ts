import type { Os } from "../objects/names.ts";
import { policyCases, type PolicyCaseName } from "./policy-cases.ts";

/** Where a connection begins: in a pod, on a node itself, or outside the cluster on this host. */
export type Source = Readonly<{ where: "pod" | "node"; os: Os } | { where: "outside" }>;

/**
 * Where a connection leads.
 *
 * - `pod`: a server's own address, or its name as an endpoint of a headless Service.
 * - `host-pod`: a server on its node's own network; on Windows that is a HostProcess container.
 * - `service`: the cluster address of a Service, or its name.
 * - `node-port`: a Service's port on a node, whose system may differ from that of the servers.
 * - `dns`: the cluster's DNS server, which is asked for the name of a Service for pods of the system.
 * - `host-port`: a port of the node that leads to a pod on it.
 * - `policy`: a path that NetworkPolicies allow or deny; its `control` is the same path before any policy exists.
 * - `host`: this host, outside the cluster.
 * - `internet`: a server outside this host.
 *
 * The servers of a Service have their own network, unless `network` is `host`, which makes them host-pods.
 */
export type Target = Readonly<
  | { to: "pod"; os: Os; by: "address"; nodes: Relation }
  | { to: "pod"; os: Os; by: "address" | "name" }
  | { to: "service"; os: Os; by: "address" | "name"; network?: "host" }
  | { to: "node-port"; os: Os; node: Os; network?: "host" }
  | { to: "policy"; os: Os; policy: PolicyCaseName; control: boolean }
  | { to: "host-pod" | "dns" | "host-port"; os: Os }
  | { to: "host" | "internet" }
>;

/** Whether both ends are on one node or on two. */
export type Relation = "same" | "other";

export interface PathRow {
  readonly kind: "path";
  /** As `--rows` takes it. */
  readonly id: string;
  readonly from: Source;
  readonly target: Target;
}

/** A row that tests one of the project's samples. */
export interface SampleRow {
  readonly kind: "sample";
  readonly id: string;
  readonly title: string;
  /** System of the node that the sample, or its Windows part, runs on. */
  readonly os: Os;
  readonly look: "settings" | "metrics" | "node-agent" | "web-server" | "shop";
}

/** A row of the table, which is tested and works or does not. */
export type Row = PathRow | SampleRow;

export function rowTitle(row: Row): string {
  return row.kind === "sample" ? row.title : `${sourceName(row.from)} to ${targetName(row)}`;
}

/** Caveat for a row that has not been seen to work on real Windows. */
export const notSeenYet = "not seen yet on Windows";

/**
 * Whether the caveat applies to a row. In older releases, Windows nodes could not reach Services (kubernetes#126795),
 * and this project has never tried it.
 */
export function isNotSeenYet(row: Row): boolean {
  return (
    row.kind === "path" &&
    row.from.where === "node" &&
    row.from.os === "windows" &&
    (row.target.to === "service" || row.target.to === "dns")
  );
}

export function osName(os: Os): string {
  return os === "linux" ? "Linux" : "Windows";
}

export function sourceName(source: Source): string {
  return source.where === "outside" ? "this host" : `${osName(source.os)} ${source.where}`;
}

function targetName({ from, target }: PathRow): string {
  switch (target.to) {
    case "pod":
    case "service": {
      const what = `${systemName(target)} ${target.to}`;
      if (target.by === "name") return `${what} by name`;
      return `${what}${"nodes" in target ? `, ${target.nodes} node` : " by address"}`;
    }
    case "node-port":
      return `${systemName(target)} service by NodePort of a ${osName(target.node)} node`;
    case "host-pod":
      return `${osName(target.os)} host-network pod`;
    case "dns":
      return `cluster DNS for the name of a ${osName(target.os)} service`;
    case "host-port":
      return `${osName(target.os)} pod by hostPort`;
    case "policy": {
      const { title, allowed } = policyCases[target.policy];
      const then = target.control ? "control without it" : allowed ? "allowed" : "denied";
      return `${osName(target.os)} pod, NetworkPolicy ${title}: ${then}`;
    }
    case "host":
      return from.where === "outside" ? "itself" : "this host, out of the cluster";
    case "internet":
      return "the internet, by name";
  }
}

/** The system that servers run on, and whether they use their node's network. */
function systemName(target: { readonly os: Os; readonly network?: "host" }): string {
  return `${osName(target.os)}${target.network === "host" ? " host-network" : ""}`;
}
