import * as dagre from "@dagrejs/dagre";

/** A point of the plane; y grows downward. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Something that needs room. */
export interface Sized {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** From one to another, which comes below it. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** Where things are, and by which points the links go. */
export interface Layered {
  readonly width: number;
  readonly height: number;
  /** Middles. */
  readonly places: ReadonlyMap<string, Point>;
  readonly links: readonly (Link & { readonly points: readonly Point[] })[];
}

/** Spaces, in pixels. */
export interface Spaces {
  readonly nodesep: number;
  readonly ranksep: number;
  readonly marginx: number;
}

/** What is used of dagre; its own declarations (3.1.3) lead to files without endings, which Node.js does not find. */
interface Dagre {
  readonly Graph: new () => {
    setGraph(settings: object): void;
    graph(): { readonly width: number; readonly height: number };
    setNode(id: string, size: object): void;
    node(id: string): Point;
    setEdge(from: string, to: string, settings: object): void;
    edge(from: string, to: string): { readonly points: readonly Point[] };
  };
  readonly layout: (graph: InstanceType<Dagre["Graph"]>) => void;
}

/** Puts things in rows, so that every link leads down and few cross: the same for the same input. */
export function layered(things: readonly Sized[], links: readonly Link[], spaces: Spaces): Layered {
  const { Graph, layout } = dagre as unknown as Dagre;
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", marginy: 0, ...spaces });
  for (const { id, width, height } of things) graph.setNode(id, { width, height });
  for (const { from, to } of links) graph.setEdge(from, to, {});
  layout(graph);
  const { width, height } = graph.graph();
  return {
    // Of nothing it is negative infinity.
    width: Math.max(0, Math.ceil(width)),
    height: Math.max(0, Math.ceil(height)),
    places: new Map(things.map(({ id }) => [id, graph.node(id)])),
    links: links.map((link) => ({ ...link, points: graph.edge(link.from, link.to).points })),
  };
}
