import type { PreviewedResource } from "./previewed-resource.ts";

/**
 * Resources in an order that is the same for the same program: what a resource is made of comes before it, a machine's
 * things stay together, and else names decide (`win-2` before `win-10`). The engine tells them as they happen to arrive,
 * and a comment in a pull request must not change by itself.
 */
export function inOrder(resources: readonly PreviewedResource[]): readonly PreviewedResource[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const compare = new Intl.Collator("en", { numeric: true });
  const ordered = new Set<PreviewedResource>();
  const seen = new Set<string>();
  const visit = (urns: readonly string[]): void => {
    const known = urns.flatMap((urn) => byUrn.get(urn) ?? []);
    for (const resource of known.toSorted(
      (a, b) => compare.compare(a.name, b.name) || compare.compare(a.urn, b.urn),
    )) {
      if (!seen.has(resource.urn)) {
        seen.add(resource.urn);
        visit([
          ...Object.values(resource.inputSources).flat(),
          ...resource.dependencies,
          ...resource.replacedWith,
        ]);
        ordered.add(resource);
      }
    }
  };
  visit([...byUrn.keys()]);
  return [...ordered];
}
