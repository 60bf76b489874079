import * as z from "zod";

import { Failure } from "../../host/failure.ts";
import { checked, checkedJson } from "../../toolchain/parse-json.ts";

/** A resource in the engine's state. Unlisted fields are kept as they are. */
const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  custom: z.boolean().optional(),
  /** The old half of a replacement, which is to be deleted. */
  delete: z.boolean().optional(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  parent: z.string().optional(),
  /** `urn::id` of the provider resource. */
  provider: z.string().optional(),
  dependencies: z.array(z.string()).nullish(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
  deletedWith: z.string().optional(),
  replaceWith: z.array(z.string()).nullish(),
});

const operationSchema = z.looseObject({
  resource: resourceSchema,
  type: z.enum(["creating", "updating", "deleting", "reading", "importing"]),
});

const deploymentSchema = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(operationSchema).nullish(),
  }),
});

export type StateResource = z.infer<typeof resourceSchema>;
type PendingOperation = z.infer<typeof operationSchema>;

/** What `pulumi stack export` prints and `pulumi stack import` takes; secrets in it are encrypted. */
export type Deployment = z.infer<typeof deploymentSchema>;

const restore =
  "put back an earlier one: the backend keeps a copy of each run (in this clone: .kindows/state/.pulumi/backups)";

/** @throws Failure when the text is not an export of a version this program knows. */
export function parseDeployment(json: string): Deployment {
  return knownVersion(checkedJson(json, deploymentSchema, "the stack's state", restore));
}

/** Like `parseDeployment`, for a value. @param file where it is from. */
export function checkDeployment(value: unknown, file: string): Deployment {
  return knownVersion(checked(value, deploymentSchema, `the stack's state ${file}`, restore));
}

function knownVersion(deployment: Deployment): Deployment {
  // Version 4 adds features that only say which fields are used.
  if (deployment.version !== 3 && deployment.version !== 4) {
    throw new Failure(
      `the stack's state has the format version ${deployment.version}, but only 3 and 4 are known: ` +
        "it was written by another Pulumi CLI than this project's",
    );
  }
  return deployment;
}

/** All resources in the engine's order, dependencies first; empty if there is no state. */
export function resourcesOf(deployment: Deployment | undefined): readonly StateResource[] {
  return deployment?.deployment.resources ?? [];
}

export function providerUrn({ provider }: StateResource): string | undefined {
  return provider?.slice(0, provider.lastIndexOf("::"));
}

export function pendingOperations(deployment: Deployment): readonly PendingOperation[] {
  return deployment.deployment.pending_operations ?? [];
}

/**
 * The same state without pending operations.
 *
 * None of them is needed: what was being created is not in the state, so it is removed from the host and created again;
 * what was being updated or deleted is still in the state, so that is repeated.
 */
export function withoutPendingOperations(deployment: Deployment): Deployment {
  const inner = { ...deployment.deployment };
  delete inner.pending_operations;
  return { ...deployment, deployment: inner };
}

export type Extent =
  /** Also what the engine would not delete separately (`deletedWith`): for `destroy`. */
  | "deleted-with"
  /** In addition, what depends on the lost resources and has to be rebuilt: for `up`. */
  | "built-on";

/** Types that own or change something outside the cluster; all of them can be recreated. */
const rebuilt = /^(libvirt|docker|command|kindows:host):/;

const provider = /^pulumi:providers:/;

/** URNs of what is lost with the resources that are gone. */
export function extentOf(
  resources: readonly StateResource[],
  gone: ReadonlySet<string>,
  extent: Extent,
): ReadonlySet<string> {
  const all = new Set(gone);
  const deadProviders = new Set<string>();
  let before: number;
  do {
    before = all.size + deadProviders.size;
    for (const resource of resources) {
      if (provider.test(resource.type)) {
        // A provider stays and is configured again, but what it created is gone with its inputs' sources.
        if (dependenciesOf(resource).some((urn) => all.has(urn))) deadProviders.add(resource.urn);
        continue;
      }
      const lost =
        (resource.deletedWith !== undefined && all.has(resource.deletedWith)) ||
        (resource.parent !== undefined && all.has(resource.parent)) ||
        deadProviders.has(providerUrn(resource) ?? "") ||
        (extent === "built-on" &&
          rebuilt.test(resource.type) &&
          dependenciesOf(resource).some((urn) => all.has(urn)));
      if (lost) all.add(resource.urn);
    }
  } while (all.size + deadProviders.size > before);
  return all;
}

/** Without these resources, and without references to them. */
export function removeFromState(deployment: Deployment, urns: ReadonlySet<string>): Deployment {
  const kept = resourcesOf(deployment)
    .filter((resource) => !urns.has(resource.urn))
    .map((resource) => withoutReferences(resource, urns));
  return { ...deployment, deployment: { ...deployment.deployment, resources: kept } };
}

function withoutReferences(resource: StateResource, urns: ReadonlySet<string>): StateResource {
  const kept = (list: readonly string[] | null): string[] =>
    (list ?? []).filter((urn) => !urns.has(urn));
  const { dependencies, replaceWith, propertyDependencies } = resource;
  const properties = Object.entries(propertyDependencies ?? {}).map(
    ([key, list]) => [key, kept(list)] as const,
  );
  return {
    ...resource,
    ...(dependencies && { dependencies: kept(dependencies) }),
    ...(replaceWith && { replaceWith: kept(replaceWith) }),
    ...(propertyDependencies && { propertyDependencies: Object.fromEntries(properties) }),
  };
}

export function dependenciesOf(resource: StateResource): readonly string[] {
  return [
    ...(resource.dependencies ?? []),
    ...Object.values(resource.propertyDependencies ?? {}).flatMap((list) => list ?? []),
  ];
}
