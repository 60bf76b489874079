import { readXml } from "./well-formed.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of a picture; `kind` is its class. */
export interface Box {
  readonly kind: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The boxes of a picture, the frame around all of it first. */
export function boxesIn(svg: string): readonly Box[] {
  return attributesOf(svg, "rect").map((attributes) => {
    const [left, top, width, height] = ["x", "y", "width", "height"].map((name) =>
      Number(attributes[name]),
    ) as [number, number, number, number];
    const kind = attributes["class"] ?? "";
    return { kind, left, top, right: left + width, bottom: top + height };
  });
}

/** The arrows between boxes of what is made in which order, each as points from its beginning to its end. */
export function waysIn(svg: string): readonly (readonly Point[])[] {
  return attributesOf(svg, "path")
    .map(({ d = "" }) => d)
    .filter((d) => /^M\d+ \d+( L\d+ \d+)+$/.test(d))
    .map((d) => {
      const corners = d
        .slice(1)
        .split(" L")
        .map((text) => text.split(" ").map(Number));
      return corners.slice(1).flatMap(([toX = 0, toY = 0], at) => {
        const [x = 0, y = 0] = corners[at] ?? [];
        const parts = 50;
        return Array.from({ length: parts + 1 }, (_, part) => ({
          x: x + ((toX - x) * part) / parts,
          y: y + ((toY - y) * part) / parts,
        }));
      });
    });
}

function attributesOf(svg: string, element: string): readonly Readonly<Record<string, string>>[] {
  return readXml(svg)
    .elements.filter(({ name }) => name === element)
    .map(({ attributes }) =>
      Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
          name,
          value,
        ]),
      ),
    );
}
