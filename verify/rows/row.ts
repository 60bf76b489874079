import { policyCases, type PolicyCaseName } from "./policies.ts";

/** Operating system of a node or pod, as Kubernetes' label has it. */
export type Os = "linux" | "windows";

/** Where a connection begins: in a pod, on a node itself, or outside of the cluster, on this host. */
export type Source = Readonly<{ where: "pod" | "node"; os: Os } | { where: "outside" }>;

/**
 * Where a connection leads.
 *
 * - `pod`: a server's own address, or its name as an endpoint of a headless Service.
 * - `host-pod`: a server on its node's own network; on Windows that is a HostProcess container.
 * - `service`: the cluster address of a Service, or its name.
 * - `node-port`: a Service's port on a node, whose system may be another than that of the servers.
 *
 * A Service's servers are pods with a network of their own unless `network` says `host`: then they are host-pods.
 *
 * - `dns`: the cluster's DNS server, asked for the name of a Service in front of a system's pods.
 * - `host-port`: a port of the node that leads to the one pod on it.
 * - `policy`: a path about which NetworkPolicies decide; its `control` is the same one before there is any policy.
 * - `host`: out of the cluster, to this host.
 * - `internet`: out of this host, too.
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

/** One of the project's samples, and what is looked at in it. */
export interface SampleRow {
  readonly kind: "sample";
  readonly id: string;
  readonly title: string;
  /** System of the node it runs on, or of its Windows part. */
  readonly os: Os;
  readonly look: "settings" | "metrics" | "web-server" | "shop";
}

/** A row of the table: something that works or does not. */
export type Row = PathRow | SampleRow;

export function rowTitle(row: Row): string {
  return row.kind === "sample" ? row.title : `${sourceName(row.from)} to ${targetName(row)}`;
}

/** Caveat for a row that has not been seen to work on real Windows. */
export const notSeenYet = "not seen yet on Windows";

/**
 * Whether it applies to a row: Windows nodes could not reach Services' addresses in older releases (kubernetes#126795), and
 * here it was never tried.
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

/** The system that servers run on, and on whose network. */
function systemName(target: { readonly os: Os; readonly network?: "host" }): string {
  return `${osName(target.os)}${target.network === "host" ? " host-network" : ""}`;
}
