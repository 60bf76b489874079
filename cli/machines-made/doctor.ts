import { hostProblemText } from "../../config/host-problem.ts";
import { messageOf } from "../../host/failure.ts";
import type { Diagnosis } from "../doctor/examine.ts";
import { resourceName, resourcesOf, type StateResource } from "../engine/deployment.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { readState } from "../engine/states.ts";
import { say } from "../progress.ts";
import { repairState } from "../recovery/repair.ts";
import { type MachinesMade, machinesMade } from "./machines-made.ts";

export async function diagnoseMade(stack: string, fix: boolean): Promise<Diagnosis> {
  const made = await machinesMade(stack);
  if (fix) await asOnlyRun(stack, () => fixMade(made, enginePulumi(stack), say));
  return examineMade(made, resourcesOf(await readState(stack)));
}

export async function examineMade(
  { stack, machines }: MachinesMade,
  resources: readonly StateResource[],
): Promise<Diagnosis> {
  const reached = { what: "cluster for the machines", detail: machines.server };
  const found: Diagnosis = {
    stack,
    lab: machines.lab.prefix,
    present: [reached],
    asleep: [],
    findings: [],
    heartbeats: {},
    busy: false,
    leftovers: { own: [], unknown: [], elsewhere: [] },
    problems: (await machines.problems()).map(hostProblemText),
  };
  try {
    const [seen, gone, left] = await Promise.all([
      machines.seen(),
      machines.gone(resources),
      machines.leftOver(resources),
    ]);
    const running = seen.filter(({ trouble }) => trouble === undefined).length;
    const fix = `\`kindows doctor --fix --stack ${stack}\``;
    return {
      ...found,
      present: [reached, { what: "machines", detail: `${running} of ${seen.length} run` }],
      findings: [
        ...gone.map((urn) => ({
          name: `machine of ${resourceName(urn)}`,
          seen: "it was removed by other means",
          remedy: `${fix} removes it from the stack's state, and the next \`pulumi up\` creates it again`,
        })),
        ...left.map(({ kind, name }) => ({
          name: `${kind} ${name}`,
          seen: "it has the stack's labels, but is not in its state",
          remedy: `unless a run is creating it now, ${fix} removes it`,
        })),
      ],
    };
  } catch (error) {
    return { ...found, problems: [...found.problems, messageOf(error)] };
  }
}

/** Removes missing machines from the state, with everything that was built on them, and removes leftovers. */
export async function fixMade(
  { title, machines }: MachinesMade,
  pulumi: Pick<Pulumi, "findState" | "importState">,
  say: (line: string) => void,
): Promise<void> {
  const before = await pulumi.findState();
  const gone = await machines.gone(resourcesOf(before));
  const goneElsewhere = gone.map((urn) => ({ urn, maker: title }));
  const observed = { things: [], unlisted: [], goneElsewhere };
  const repair = before && repairState(before, observed, "built-on");
  if (repair !== undefined) {
    // Even if nothing changed: importing fails while a run works on the stack, whose new objects are no leftovers.
    await pulumi.importState(repair.deployment);
    repair.notes.forEach(say);
  }
  for (const thing of await machines.leftOver(resourcesOf(repair?.deployment))) {
    await machines.remove(thing);
    say(`removed ${thing.kind} ${thing.name}`);
  }
}
