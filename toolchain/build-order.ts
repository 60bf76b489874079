import type { Artifact } from "./artifact.ts";

/**
 * The given artifacts and all their dependencies, dependencies first; otherwise in the given order, so that callers put the
 * longest chain of work first.
 *
 * @throws for circular dependencies, and for two different artifacts of one name.
 */
export function buildOrder(artifacts: readonly Artifact[]): readonly Artifact[] {
  const ordered: Artifact[] = [];
  const byName = new Map<string, Artifact>();
  const visit = (artifact: Artifact, trail: readonly Artifact[]): void => {
    if (trail.includes(artifact)) {
      const circle = [...trail.slice(trail.indexOf(artifact)), artifact];
      throw new Error(`artifacts need each other: ${circle.map((each) => each.name).join(" -> ")}`);
    }
    if (ordered.includes(artifact)) {
      return;
    }
    for (const needed of artifact.needs) {
      visit(needed, [...trail, artifact]);
    }
    if (byName.has(artifact.name)) {
      throw new Error(`two artifacts are called ${artifact.name}`);
    }
    byName.set(artifact.name, artifact);
    ordered.push(artifact);
  };
  for (const artifact of artifacts) {
    visit(artifact, []);
  }
  return ordered;
}
