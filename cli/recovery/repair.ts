import type { HostResource } from "../../components/host-resource.ts";
import type { GoneMachine } from "../../components/machine/machine-makers.ts";
import { otherSteps } from "../../components/node/step-title.ts";
import { stepTriggerOf } from "../../components/node/step-trigger.ts";
import { shortName } from "../../components/urn.ts";
import {
  dependenciesOf,
  type Extent,
  extentOf,
  pendingOperations,
  removeFromState,
  resourcesOf,
  withoutPendingOperations,
  type Deployment,
  type StateResource,
} from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import type { Pulumi } from "../engine/pulumi.ts";
import { say } from "../progress.ts";
import { ownedIdentities, ownedResources } from "../host-resources/host-resources.ts";

interface Repair {
  readonly deployment: Deployment;
  readonly notes: readonly string[];
  readonly owned: ReadonlySet<string>;
}

interface Observation {
  readonly things: readonly HostResource[];
  readonly unlisted: readonly { readonly kind: string }[];
  /** Resources on unreachable hypervisors: none of them counts as gone. */
  readonly unreachable?: ReadonlySet<string>;
  /** Machines that are gone from other hosts, which the survey does not cover. */
  readonly goneElsewhere?: readonly GoneMachine[];
}

/** Makes the state of a stack, whose engine may have been killed anywhere, match the host. */
export function repairState(deployment: Deployment, observed: Observation, extent: Extent): Repair {
  const there = new Set(observed.things.flatMap((thing) => thing.identity ?? []));
  const seen = (identity: string): boolean =>
    !observed.unlisted.some(({ kind }) => identity.startsWith(`${kind} `));
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
  notes.push(
    ...lost.map(({ urn, identity }) => `gone from this host: ${shortName(urn)} (${identity})`),
    ...elsewhere.map(({ urn, maker }) => `gone from its ${maker} host: ${shortName(urn)}`),
  );
  const left = resources.filter(({ urn }) => !gone.has(urn));
  const tokens = extent === "built-on" ? unusedTokens(left) : [];
  notes.push(...tokens.map((urn) => `unused join token, will be replaced: ${shortName(urn)}`));
  const settled = withoutPendingOperations(deployment);
  const repaired = removeFromState(settled, new Set([...gone, ...tokens]));
  return { deployment: repaired, notes, owned: ownedIdentities(resourcesOf(repaired)) };
}

/**
 * URNs of tokens that were created for a join which is not in the state, because it was not reached or did not finish. As
 * such a token may have expired, which the state does not show, it is created again. The cluster removes expired tokens.
 */
export function unusedTokens(resources: readonly StateResource[]): readonly string[] {
  const needed = new Set(resources.flatMap((resource) => dependenciesOf(resource)));
  return resources
    .filter(({ inputs }) => stepTriggerOf(inputs)?.step === otherSteps.mintToken)
    .filter((each) => !needed.has(each.urn))
    .map((each) => each.urn);
}

/**
 * Removes the pushes of programs to these nodes' machines from the state, so that they are repeated. The engine
 * cannot notice that a file on a machine is damaged or gone.
 *
 * @param nodes names of nodes; nothing was pushed to those whose image contains their programs.
 */
export function removePushes(
  deployment: Deployment,
  nodes: readonly string[],
): Pick<Repair, "deployment" | "notes"> {
  const resources = resourcesOf(deployment);
  const facts = new StackFacts(resources);
  const pushes = resources.filter(
    ({ urn, inputs }) =>
      stepTriggerOf(inputs)?.step === otherSteps.push && nodes.includes(facts.nodeOf(urn) ?? ""),
  );
  return {
    deployment: removeFromState(deployment, new Set(pushes.map(({ urn }) => urn))),
    notes: pushes.map(({ urn }) => `pushed again: ${shortName(urn)}`),
  };
}

/** Makes the next operation push these nodes' programs again. @returns whether anything had been pushed. */
export async function pushAgain(pulumi: Pulumi, nodes: readonly string[]): Promise<boolean> {
  const { deployment, notes } = removePushes(await pulumi.exportState(), nodes);
  if (notes.length > 0) {
    await pulumi.importState(deployment);
    notes.forEach(say);
  }
  return notes.length > 0;
}
