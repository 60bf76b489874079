import type { HostResource } from "../../components/host-resource.ts";
import { table } from "../table.ts";
import type { Claim } from "./claim.ts";

/** A lab on this host, by what is there of it. */
interface ListedLab {
  /** Prefix of its names, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  readonly state: "running" | "partly running" | "stopped" | "left over";
  readonly machines: Count;
  readonly containers: Count;
  /** Stack that runs it, and its clone's folder, as far as this user's cache knows. */
  readonly stack?: string;
  readonly project?: string;
}

interface Count {
  readonly running: number;
  readonly all: number;
}

interface FoundParts {
  readonly machines: readonly HostResource[];
  readonly containers: readonly HostResource[];
  /** What else has a lab's name. */
  readonly all: readonly HostResource[];
  claimOf(this: void, lab: string): Claim | undefined;
}

/** The labs on a host, by name. */
export function labsIn({ machines, containers, all, claimOf }: FoundParts): ListedLab[] {
  const names = new Set([...all, ...machines, ...containers].map(({ lab }) => lab));
  return [...names].sort().map((lab) => {
    const [ofMachines, ofContainers] = [machines, containers].map((each) => countOf(each, lab));
    const counts = { machines: ofMachines ?? none, containers: ofContainers ?? none };
    const claim = claimOf(lab);
    return {
      lab,
      state: stateOf(Object.values(counts)),
      ...counts,
      ...(claim !== undefined && { stack: claim.stack, project: claim.project }),
    };
  });
}

const none: Count = { running: 0, all: 0 };

function countOf(parts: readonly HostResource[], wanted: string): Count {
  const own = parts.filter(({ lab }) => lab === wanted);
  return { running: own.filter(({ state }) => state === "running").length, all: own.length };
}

function stateOf(counts: readonly Count[]): ListedLab["state"] {
  const [running, all] = (["running", "all"] as const).map((key) =>
    counts.reduce((sum, count) => sum + count[key], 0),
  );
  if (all === 0) return "left over";
  if (running === 0) return "stopped";
  return running === all ? "running" : "partly running";
}

export function labsText(labs: readonly ListedLab[]): string {
  if (labs.length === 0) return "there is no lab on this host";
  const text = ({ running, all }: Count): string => `${running}/${all}`;
  return table(
    ["LAB", "STATE", "MACHINES", "CONTAINERS", "STACK", "CLONE"],
    labs.map(({ lab, state, machines, containers, stack = "?", project = "?" }) => [
      ...[lab, state, text(machines), text(containers), stack, project],
    ]),
  );
}
