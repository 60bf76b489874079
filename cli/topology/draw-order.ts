import type { PreviewedResource } from "../preview-diff/previewed.ts";
import type { Picture } from "./draw-lab.ts";
import type { Group } from "./groups.ts";
import { layered } from "./layered.ts";
import { bandsOf, route } from "./routes.ts";
import { box, label, labels, lineHeight, wrapped, type Place } from "./shapes.ts";
import { element, type Xml } from "./xml.ts";

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
