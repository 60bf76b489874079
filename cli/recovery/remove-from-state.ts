import {
  type Deployment,
  providerUrn,
  resourcesOf,
  type StateResource,
} from "../engine/deployment.ts";

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
