import type { LabStatus } from "./report.ts";

/** One thing about a lab that can change. */
export interface Fact {
  /** What two looks are compared by: a reason may be worded differently each time. */
  readonly state: string;
  /** How it is told. */
  readonly text: string;
}

/** What is known of a lab, by subject, e.g. `node win-1`. */
export type Facts = ReadonlyMap<string, Fact>;

/**
 * What a look at a lab has told.
 *
 * @param status nothing while the stack is not up.
 * @param before facts of the look before: what could not be asked this time is taken to be as it was.
 */
export function factsOf(status: LabStatus | undefined, before: Facts = new Map()): Facts {
  const facts = new Map<string, Fact>();
  if (status === undefined) {
    return facts.set("stack", fact("not up"));
  }
  facts.set("stack", fact("up"));
  const keep = (prefix: string): void => {
    for (const [subject, known] of before) {
      if (subject.startsWith(prefix)) {
        facts.set(subject, known);
      }
    }
  };
  if (status.clusterTrouble === undefined) {
    facts.set("cluster", fact("answers"));
    for (const { name } of status.outputs.nodes) {
      facts.set(`node ${name}`, fact("not joined"));
    }
    for (const { name, ready, reason = "" } of status.nodes) {
      facts.set(`node ${name}`, fact(ready ? "Ready" : `not Ready: ${reason}`));
    }
  } else {
    facts.set("cluster", fact("does not answer", status.clusterTrouble));
    keep("node ");
  }
  if (status.machineTrouble === undefined) {
    for (const { name, state } of status.machines) {
      facts.set(`machine ${name}`, fact(state));
    }
  } else {
    facts.set("libvirt", fact("does not tell its machines", status.machineTrouble));
    keep("machine ");
  }
  return facts;
}

/** What is different from one look to the next, one line each; from none, everything. */
export function changesBetween(before: Facts, after: Facts): readonly string[] {
  const now = [...after].flatMap(([subject, { state, text }]) =>
    before.get(subject)?.state === state ? [] : [`${subject}: ${text}`],
  );
  const gone = [...before.keys()].flatMap((subject) =>
    after.has(subject) ? [] : [subject === "libvirt" ? "libvirt: answers" : `${subject}: gone`],
  );
  return [...now, ...gone];
}

function fact(state: string, detail?: string): Fact {
  return { state, text: detail === undefined ? state : `${state}: ${detail}` };
}
