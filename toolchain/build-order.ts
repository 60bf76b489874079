import type { Artifact } from "./artifact.ts";

/**
 * Every artifact the given ones need, each once, needed ones first; otherwise in the order given, so that a caller
 * puts first what the longest chain of work starts with.
 *
 * @throws on a circle of needs, naming it, and on two different artifacts of one name.
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
