import type { GoneMachine } from "../../components/machine/registry.ts";
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

/** A state that matches the host, and what was changed. */
export interface Repair {
  readonly deployment: Deployment;
  /** One line for each repair; empty if there was nothing to do. */
  readonly notes: readonly string[];
  /** Identities of the host resources that the repaired state owns. */
  readonly owned: ReadonlySet<string>;
}

/** What was observed on the host. */
export interface Observation {
  /** Everything of the lab that was found. */
  readonly things: Survey["things"];
  /** Kinds that could not be listed: nothing of them counts as gone. */
  readonly blind: readonly { readonly kind: string }[];
  /** Resources on unreachable hypervisors: none of them counts as gone. */
  readonly unreachable?: ReadonlySet<string>;
  /** Machines that are gone from hosts which only their makers check. */
  readonly goneElsewhere?: readonly GoneMachine[];
}

/**
 * Makes the state of a stack, whose engine may have been killed anywhere, match the host.
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
      essential &&
      !there.has(identity) &&
      seen(identity) &&
      observed.unreachable?.has(urn) !== true,
  );
  const elsewhere = observed.goneElsewhere ?? [];
  const gone = extentOf(resources, new Set([...lost, ...elsewhere].map(({ urn }) => urn)), extent);
  for (const { urn, identity } of lost) {
    notes.push(`gone from this host: ${shortName(urn)} (${identity})`);
  }
  for (const { urn, maker } of elsewhere) {
    notes.push(`gone from its ${maker} host: ${shortName(urn)}`);
  }
  const left = resources.filter(({ urn }) => !gone.has(urn));
  const tokens = extent === "built-on" ? unusedTokens(left) : [];
  for (const urn of tokens) {
    notes.push(`join token that nothing has used: ${shortName(urn)}, replaced`);
  }
  const repaired = removeFromState(
    withoutPendingOperations(deployment),
    new Set([...gone, ...tokens]),
  );
  return {
    deployment: repaired,
    notes,
    owned: ownedIdentities(resourcesOf(repaired)),
  };
}

/**
 * URNs of tokens that were created for a join which is not in the state, because it was not reached or did not finish. As
 * such a token may have expired, which the state does not show, it is created again. The cluster removes expired tokens.
 */
export function unusedTokens(resources: readonly StateResource[]): readonly string[] {
  const needed = new Set(resources.flatMap((resource) => neededBy(resource)));
  return resources
    .filter(({ inputs }) => /\bmint-bootstrap-token\b/.test(String(inputs?.["create"])))
    .filter((each) => !needed.has(each.urn))
    .map((each) => each.urn);
}
