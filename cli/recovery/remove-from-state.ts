import type { Deployment, StateResource } from "../engine/deployment.ts";
import { providerUrn, resourcesOf } from "../engine/deployment.ts";

/** What is removed from the state along with a resource. */
export type Extent =
  /** What the engine would not delete by itself either (`deletedWith`): for `destroy`. */
  | "deleted-with"
  /** Also what was built on it, which has to be rebuilt: for `up`. */
  | "built-on";

/** Types that own or change something outside the cluster; all of them can be recreated. */
const rebuilt = /^(libvirt|docker|command|kindows:host):/;

const provider = /^pulumi:providers:/;

/** URNs of everything to remove when the resources `gone` no longer exist, including `gone`. */
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
        // It stays and is configured again, but what it created is gone with what it was configured from.
        if (neededBy(resource).some((urn) => all.has(urn))) {
          deadProviders.add(resource.urn);
        }
        continue;
      }
      const lost =
        (resource.deletedWith !== undefined && all.has(resource.deletedWith)) ||
        (resource.parent !== undefined && all.has(resource.parent)) ||
        deadProviders.has(providerUrn(resource) ?? "") ||
        (extent === "built-on" &&
          rebuilt.test(resource.type) &&
          neededBy(resource).some((urn) => all.has(urn)));
      if (lost) {
        all.add(resource.urn);
      }
    }
  } while (all.size + deadProviders.size > before);
  return all;
}

/** The state without these resources, and without a reference to any of them. */
export function removeFromState(deployment: Deployment, urns: ReadonlySet<string>): Deployment {
  const kept = resourcesOf(deployment)
    .filter((resource) => !urns.has(resource.urn))
    .map((resource) => withoutReferences(resource, urns));
  return { ...deployment, deployment: { ...deployment.deployment, resources: kept } };
}

function withoutReferences(resource: StateResource, urns: ReadonlySet<string>): StateResource {
  const kept = (list: readonly string[]): string[] => list.filter((urn) => !urns.has(urn));
  const cleaned = { ...resource };
  if (resource.dependencies) {
    cleaned.dependencies = kept(resource.dependencies);
  }
  if (resource.replaceWith) {
    cleaned.replaceWith = kept(resource.replaceWith);
  }
  if (resource.propertyDependencies) {
    cleaned.propertyDependencies = Object.fromEntries(
      Object.entries(resource.propertyDependencies).map(([key, list]) => [key, kept(list ?? [])]),
    );
  }
  return cleaned;
}

/** URNs that a resource depends on in any way that the engine knows. */
export function neededBy(resource: StateResource): readonly string[] {
  return [
    ...(resource.dependencies ?? []),
    ...Object.values(resource.propertyDependencies ?? {}).flatMap((list) => list ?? []),
  ];
}
