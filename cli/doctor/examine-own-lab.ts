import type { HostResource } from "../../components/host-resource.ts";
import { surveyHost, type Survey } from "../host-resources/host-resources.ts";
import type { OwnLab } from "../lab/own-lab.ts";
import { foreignAmong, proofOf } from "../lab/proof.ts";
import { examineLab, type Inside, nothingInside } from "./examine-lab.ts";
import { ownOrphans, type OwnLabs } from "./orphans.ts";
import { type ProjectStates, statesOfProject } from "./project-states.ts";

/** A stack's lab, and what else of a lab is on this host. */
export interface ExaminedLab extends Inside {
  /** Everything on this host that belongs to a lab. */
  readonly survey: Survey<HostResource>;
  readonly states: ProjectStates;
  readonly known: OwnLabs;
  readonly busy: boolean;
  readonly leftovers: { readonly own: readonly HostResource[] };
}

/** Examines a stack's lab, without changing anything: all that can be repaired, and nothing of the host itself. */
export async function examineOwnLab({ stack, lab, host }: OwnLab): Promise<ExaminedLab> {
  const [survey, states] = await Promise.all([surveyHost(host), statesOfProject()]);
  const { found } = survey;
  // Nothing is known to be this stack's while its state cannot be read.
  const foreign = await proofOf(stack, lab).then(
    (proof) => foreignAmong(found, proof),
    () => found.filter((thing) => thing.lab === lab),
  );
  const busy = states.busy.has(lab);
  // During a run, parts may be stopped on purpose.
  const inside = states.up.has(stack) && !busy ? await examineLab(stack, lab, host) : nothingInside;
  const known: OwnLabs = {
    own: lab,
    busy: new Set([...states.busy, ...states.unreadable]),
    owned: states.owned,
    foreign: new Set(foreign),
  };
  return { ...inside, survey, states, known, busy, leftovers: { own: ownOrphans(found, known) } };
}
