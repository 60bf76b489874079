import * as dagre from "@dagrejs/dagre";

import type { PreviewedResource } from "../preview-diff/previewed.ts";
import type { Picture } from "./draw-lab.ts";
import type { Group } from "./groups.ts";
import {
  box,
  label,
  labels,
  lineHeight,
  wrapped,
  type Place,
  element,
  type Xml,
} from "./shapes.ts";

const margin = 16;
const boxWidth = 270;
const spaces = { nodesep: 20, ranksep: 46, marginx: margin };

/** What is made in which order: a box for each group, arrows to those that wait for it. */
export function drawOrder(groups: readonly Group[], top: number): Picture {
  const texts = new Map(groups.map((group) => [group.title, linesOf(group)]));
  const boxes = groups.map(({ title }) => ({
    id: title,
    width: boxWidth,
    height: 36 + (texts.get(title)?.length ?? 0) * lineHeight,
  }));
  const waits = groups.flatMap(({ title, after }) => after.map((from) => ({ from, to: title })));
  const { places: middles, links, ...size } = layered(boxes, waits, spaces);

  const start = top + 44;
  const places = new Map(
    boxes.map(({ id, width, height }) => {
      const { x, y } = middles.get(id) ?? { x: 0, y: 0 };
      const corner = { x: Math.round(x - width / 2), y: Math.round(y - height / 2) + start };
      return [id, { ...corner, width, height }] as const;
    }),
  );
  const bands = bandsOf([...places.values()]);
  const arrows = links.flatMap(({ from, to, points }) => {
    const [above, below] = [places.get(from), places.get(to)];
    if (above === undefined || below === undefined) return [];
    const between = points.map(({ x, y }) => ({ x, y: y + start }));
    return [element("path", { class: "flow", d: route(above, below, between, bands) })];
  });
  const drawn = groups.flatMap((group) => {
    const place = places.get(group.title);
    return place === undefined ? [] : [groupBox(group, texts.get(group.title) ?? [], place)];
  });
  return {
    shapes: [
      label(
        margin,
        top + 24,
        "What is made, and what waits for what (an arrow leads to what waits)",
        "name",
      ),
      ...arrows,
      ...drawn,
    ],
    width: size.width,
    height: size.height + 44 + margin,
  };
}

function groupBox({ title, resources }: Group, lines: readonly string[], place: Place): Xml {
  const all = resources.map(({ type, name }) => `${kindOf(type)} ${name}`).join(", ");
  return element(
    "g",
    {},
    element("title", {}, `${title}: ${all}`),
    box(place, "thing"),
    label(place.x + 12, place.y + 21, title, "name"),
    ...labels(place.x + 12, place.y + 40, lines),
  );
}

/** The group's resources in their order, those of one kind that follow each other together. */
function linesOf({ machine, resources }: Group): readonly string[] {
  const runs: { kind: string; names: string[] }[] = [];
  for (const resource of resources) {
    const kind = kindOf(resource.type);
    const name = shortName(resource, machine);
    const last = runs.at(-1);
    if (last?.kind === kind) last.names.push(name);
    else runs.push({ kind, names: [name] });
  }
  return runs.flatMap(({ kind, names }) => wrapped(`${kind}: ${names.join(", ")}`, boxWidth - 24));
}

function shortName({ name }: PreviewedResource, machine: string | undefined): string {
  return machine !== undefined && name.startsWith(`${machine}-`)
    ? name.slice(machine.length + 1)
    : name;
}

/** `libvirt Network`, `remote Command`, `DaemonSet`: enough to find it in a preview. */
export function kindOf(type: string): string {
  const [origin = "", module = "", kind = ""] = type.split(":");
  if (origin === "pulumi") return `provider ${kind}`;
  if (origin === "command") return `${module} ${kind}`;
  return origin === "kubernetes" ? kind : `${origin} ${kind}`;
}

/** A point of the plane; y grows downward. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Something that needs room. */
interface Sized {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** From one to another, which comes below it. */
interface Link {
  readonly from: string;
  readonly to: string;
}

/** Where things are, and by which points the links go. */
interface Layered {
  readonly width: number;
  readonly height: number;
  /** Middles. */
  readonly places: ReadonlyMap<string, Point>;
  readonly links: readonly (Link & { readonly points: readonly Point[] })[];
}

/** Spaces, in pixels. */
interface Spaces {
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
function layered(things: readonly Sized[], links: readonly Link[], spaces: Spaces): Layered {
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

/** A row of boxes: from the top of its highest to the bottom of its lowest. */
interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** Distance of an arrow's end from a box's corner. */
const corner = 16;
/** Length of an arrow's tip and a bit: it points straight down. */
const tip = 14;

/** The rows that boxes stand in: those of one row have their middles at one height. */
function bandsOf(places: readonly Place[]): readonly Band[] {
  const rows = new Map<number, Band>();
  for (const { y, height } of places) {
    const middle = Math.round(y + height / 2);
    const band = rows.get(middle) ?? { top: y, bottom: y + height };
    rows.set(middle, {
      top: Math.min(band.top, y),
      bottom: Math.max(band.bottom, y + height),
    });
  }
  return [...rows.values()].sort((a, b) => a.top - b.top);
}

/**
 * The way from one box to another below it: straight down within a row, so that it passes no box of another height, and
 * slanting only between rows.
 *
 * @param between where the layout lets it pass.
 * @returns an SVG path.
 */
function route(from: Place, to: Place, between: readonly Point[], bands: readonly Band[]): string {
  const bandAt = (y: number): Band | undefined =>
    bands.find(({ top, bottom }) => y >= top && y <= bottom);
  const home = bandAt(from.y);
  const goal = bandAt(to.y);
  const inner = between.slice(1, -1);
  const startX = within(from, inner[0]?.x ?? from.x + from.width / 2);
  const endX = within(to, inner.at(-1)?.x ?? to.x + to.width / 2);
  const points: Point[] = [
    { x: startX, y: from.y + from.height },
    { x: startX, y: home?.bottom ?? from.y + from.height },
  ];
  for (const { x, y } of inner) {
    const band = bandAt(y);
    if (band === undefined || band === home || band === goal) continue;
    points.push({ x, y: band.top }, { x, y: band.bottom });
  }
  points.push({ x: endX, y: (goal?.top ?? to.y) - tip }, { x: endX, y: to.y - 1 });
  return `M${points.map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`).join(" L")}`;
}

function within({ x, width }: Place, wanted: number): number {
  return Math.min(Math.max(wanted, x + corner), x + width - corner);
}
