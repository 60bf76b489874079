import {
  pendingOperations,
  resourcesOf,
  shortName,
  withoutPendingOperations,
  type Deployment,
  type StateResource,
} from "../engine/deployment.ts";
import { ownedIdentities, ownedResources, type Survey } from "../host-resources/host-resources.ts";
import { extentOf, removeFromState, neededBy, type Extent } from "./remove-from-state.ts";

/** A state that fits the host, and what was done to it. */
export interface Repair {
  readonly deployment: Deployment;
  /** One line for each thing that was put right; nothing to do when there is none. */
  readonly notes: readonly string[];
  /** Identities of the things on the host that the repaired state owns. */
  readonly owned: ReadonlySet<string>;
}

/** What was observed on the host, for repairing a state. */
export interface Observation {
  /** Everything of the lab that was found. */
  readonly things: Survey["things"];
  /** Kinds that could not be looked for: nothing of them counts as gone. */
  readonly blind: readonly { readonly kind: string }[];
  /** Resources whose hypervisor does not answer: nothing of them counts as gone. */
  readonly unreachable?: ReadonlySet<string>;
  /** URNs of machines that are gone from where no other check looks: Hyper-V hosts. */
  readonly goneElsewhere?: readonly string[];
}

/**
 * Makes the state of a stack, whose engine may have been killed anywhere, fit what is on the host.
 */
export function repairState(deployment: Deployment, observed: Observation, extent: Extent): Repair {
  const there = new Set(observed.things.flatMap((thing) => thing.identity ?? []));
  const seen = (identity: string): boolean =>
    !observed.blind.some(({ kind }) => identity.startsWith(`${kind} `));
  const notes = pendingOperations(deployment).map(
    ({ type, resource }) => `${type} ${shortName(resource.urn)} was interrupted`,
  );
  const resources = resourcesOf(deployment);
  const lost = ownedResources(resources).filter(
    ({ identity, essential, urn }) =>
      essential && !there.has(identity) && seen(identity) && observed.unreachable?.has(urn) !== true,
  );
  const elsewhere = observed.goneElsewhere ?? [];
  const gone = extentOf(resources, new Set([...lost.map(({ urn }) => urn), ...elsewhere]), extent);
  for (const { urn, identity } of lost) {
    notes.push(`gone from this host: ${shortName(urn)} (${identity})`);
  }
  for (const urn of elsewhere) {
    notes.push(`gone from its Hyper-V host: ${shortName(urn)}`);
  }
  const left = resources.filter(({ urn }) => !gone.has(urn));
  const tokens = extent === "built-on" ? unusedTokens(left) : [];
  for (const urn of tokens) {
    notes.push(`join token that nothing has used: ${shortName(urn)}, replaced`);
  }
  const repaired = removeFromState(withoutPendingOperations(deployment), new Set([...gone, ...tokens]));
  return {
    deployment: repaired,
    notes,
    owned: ownedIdentities(resourcesOf(repaired)),
  };
}

/** Component that mints a bootstrap token; the token itself is a command below it. */
const tokenComponent = "kindows:controlplane:BootstrapToken";

/**
 * URNs of tokens that were minted for a join which is not in the state.
 *
 * The join was never reached or did not finish. A token lives an hour or two, so by now it may be worthless, and
 * nothing in the state would show that: it is minted again. The cluster removes the old one when it expires.
 */
export function unusedTokens(resources: readonly StateResource[]): readonly string[] {
  const needed = new Set(resources.flatMap((resource) => neededBy(resource)));
  const components = new Set(
    resources.filter((each) => each.type === tokenComponent).map((each) => each.urn),
  );
  return resources
    .filter((each) => each.custom === true && components.has(each.parent ?? ""))
    .filter((each) => !needed.has(each.urn))
    .map((each) => each.urn);
}
