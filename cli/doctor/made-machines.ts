import { hostProblemText } from "../../config/host-problem.ts";
import { messageOf } from "../../host/failure.ts";
import type { HostResource } from "../../components/host-resource.ts";
import type { Diagnosis } from "./examine.ts";
import type { Finding } from "./finding.ts";
import { resourceName } from "../../components/urn.ts";
import { resourcesOf, type StateResource } from "../engine/deployment.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { labIdIn } from "../lab/proof.ts";
import { readState } from "../engine/states.ts";
import { say } from "../progress.ts";
import { repairState } from "../recovery/repair.ts";
import { type MachinesMade, machinesMade } from "../lab/made-machines.ts";

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
        ...gone.map((urn): Finding => ({
          kind: "machine-gone",
          subject: resourceName(urn),
          seen: "it was removed by other means",
          remedy: `${fix} removes it from the stack's state, and the next \`pulumi up\` creates it again`,
        })),
        ...left.map(({ kind, name, mark }): Finding => ({
          kind: "left-over",
          subject: `${kind} ${name}`,
          seen: "it has the stack's name, but is not in its state",
          remedy: isOwn(resources, mark)
            ? `unless a run is creating it now, ${fix} removes it`
            : byHandText({ kind, name }),
        })),
      ],
    };
  } catch (error) {
    return { ...found, problems: [...found.problems, messageOf(error)] };
  }
}

/** Whether the object carries the stack's id. Without a state, none is known to be its own. */
function isOwn(resources: readonly StateResource[], mark: string | undefined): boolean {
  return mark !== undefined && mark === labIdIn(resources);
}

/** @param name with the namespace before it. */
function byHandText({ kind, name }: Pick<HostResource, "kind" | "name">): string {
  const [namespace, own] = name.split("/");
  return (
    "it lacks the id in the stack's state, so it may be another's of the same name; if nobody uses it, remove it with " +
    `\`kubectl delete ${kind} ${own} --namespace ${namespace}\``
  );
}

/**
 * Removes missing machines from the state, with everything that was built on them, and leftovers that carry the stack's
 * id. Others are only listed.
 */
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
  const resources = resourcesOf(repair?.deployment);
  for (const thing of await machines.leftOver(resources)) {
    if (!isOwn(resources, thing.mark)) {
      say(`left alone: ${thing.kind} ${thing.name}; ${byHandText(thing)}`);
      continue;
    }
    await machines.remove(thing);
    say(`removed ${thing.kind} ${thing.name}`);
  }
}
