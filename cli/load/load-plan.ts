import { archivedImages, type Platform } from "../../components/image-archives/archived-images.ts";
import { Failure } from "../../host/failure.ts";
import { unknownNodes } from "../lab/unknown-nodes.ts";
import type { LoadedArchive } from "./image-source.ts";

export interface LoadNode {
  readonly name: string;
  readonly platform: Platform;
}

/** An archive that nodes get. */
export interface Load<Node extends LoadNode> {
  readonly archive: Pick<LoadedArchive, "source" | "path" | "sha256">;
  /** The images in it, with registry and tag. */
  readonly images: readonly string[];
  readonly nodes: readonly Node[];
}

/**
 * Chooses the nodes that get each archive: the named ones, or all whose platform the images are for.
 *
 * @param named names of nodes; none: all that fit.
 * @throws Failure with everything that is wrong: unknown nodes, and archives that no node or not all named ones can use.
 */
export function planLoad<Node extends LoadNode>(
  archives: readonly Pick<LoadedArchive, "source" | "path" | "sha256" | "files">[],
  nodes: readonly Node[],
  named: readonly string[],
): readonly Load<Node>[] {
  const unknown = unknownNodes(named, nodes);
  if (unknown !== undefined) throw new Failure(unknown);
  const wanted = nodes.filter(({ name }) => named.length === 0 || named.includes(name));
  const problems = new Set<string>();
  const loads = archives.map((archive): Load<Node> => {
    const found = wanted.map((node) => ({ node, ...archivedImages(archive.files, node.platform) }));
    const fitting = found.filter(({ complaints }) => complaints.length === 0);
    const mustFit = named.length > 0 || fitting.length === 0 ? found : [];
    for (const { complaints } of mustFit) {
      for (const { why, instead } of complaints)
        problems.add(`${archive.source} ${why}. ${instead}`);
    }
    return {
      archive,
      images: [...new Set(fitting.flatMap(({ references }) => references))],
      nodes: fitting.map(({ node }) => node),
    };
  });
  if (problems.size > 0) throw new Failure([...problems].join("\n"));
  return loads;
}
