import type { Previewed } from "../preview-diff/previewed.ts";
import { drawLab } from "./draw-lab.ts";
import { drawOrder, kindOf } from "./draw-order.ts";
import { groupsOf, type Group } from "./groups.ts";
import { labOf, type DrawnLab } from "./lab.ts";
import { box, labels, wrapped, element } from "./shapes.ts";

/**
 * A picture of a stack, made of what its program asks for: the same bytes for the same preview.
 *
 * Everything in it is told in its description too, for who can't see it.
 */
export function topologySvg(stack: string, previewed: Previewed): string {
  const lab = labOf(previewed);
  const groups = groupsOf(previewed);
  const { width: least } = drawOrder(groups, 0);
  const host = drawLab(stack, lab, 1, least);
  const order = drawOrder(groups, host.height + 8);
  const { width } = host;
  const providers = previewed.resources
    .filter(({ urn }) => !groups.some((group) => group.resources.some((each) => each.urn === urn)))
    .map(({ type, name }) => `${kindOf(type)} (${name})`);
  const rest = `Besides: ${providers.join(", ")}. ${previewed.resources.length} resources in all.`;
  const restLines = wrapped(rest, width - 32);
  const bottom = host.height + 8 + order.height;
  const height = bottom + restLines.length * 16 + 12;
  const title = `Topology of the stack ${stack}`;
  const picture = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-labelledby": "title description",
    },
    element("title", { id: "title" }, title),
    element("desc", { id: "description" }, description(lab, groups)),
    element("style", {}, styleSheet),
    element(
      "defs",
      {},
      element(
        "marker",
        {
          id: "tip",
          viewBox: "0 0 10 10",
          refX: 9,
          refY: 5,
          markerWidth: 7,
          markerHeight: 7,
          orient: "auto",
        },
        element("path", { class: "tip", d: "M0 0 L10 5 L0 10 z" }),
      ),
    ),
    box({ x: 1, y: 1, width: width - 2, height: height - 2 }, "back", 12),
    ...host.shapes,
    ...order.shapes,
    ...labels(16, bottom + 6, restLines),
  );
  return `${picture.xml}\n`;
}

/** What the picture shows, in sentences. */
function description(
  { network, cluster, workers, machines }: DrawnLab,
  groups: readonly Group[],
): string {
  const containers = cluster && [...cluster.controlPlanes, ...workers].join(", ");
  const list = machines
    .map(
      ({ node, address, cpus, memoryMiB }) =>
        `${node} at ${address} with ${cpus} CPU and ${memoryMiB} MiB`,
    )
    .join("; ");
  const made = groups.map(({ title, after }) =>
    after.length === 0 ? title : `${title} after ${after.join(" and ")}`,
  );
  return [
    network && `A Linux host with one network segment, bridge ${network.bridge}, ${network.cidr}.`,
    containers && `In Docker the Linux nodes ${containers}.`,
    machines.length > 0 &&
      `On libvirt the ${machines.every(({ os }) => os === "windows") ? "Windows " : ""}machines ${list}.`,
    `Made in this order: ${made.join("; ")}.`,
  ]
    .filter((each) => typeof each === "string")
    .join(" ");
}

/** Colours of one of the two ways a page is shown. */
interface Palette {
  readonly text: string;
  readonly faint: string;
  readonly back: string;
  readonly thing: string;
  readonly line: string;
  readonly maker: string;
  readonly docker: string;
  readonly dockerLine: string;
  readonly segment: string;
  readonly segmentLine: string;
  readonly libvirt: string;
  readonly libvirtLine: string;
}

const light: Palette = {
  text: "#1b1f24",
  faint: "#57606a",
  back: "#ffffff",
  thing: "#ffffff",
  line: "#8c959f",
  maker: "#f6f8fa",
  docker: "#ddf4ff",
  dockerLine: "#54aeff",
  segment: "#fff8c5",
  segmentLine: "#9a6700",
  libvirt: "#dafbe1",
  libvirtLine: "#2da44e",
};

const dark: Palette = {
  text: "#e6edf3",
  faint: "#9ea7b3",
  back: "#0d1117",
  thing: "#161b22",
  line: "#6e7681",
  maker: "#161b22",
  docker: "#0c2d4a",
  dockerLine: "#388bfd",
  segment: "#3b2e06",
  segmentLine: "#d29922",
  libvirt: "#0f2f1a",
  libvirtLine: "#3fb950",
};

/** The picture's style sheet: as the page is shown, light or dark. */
const styleSheet = [
  "text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; }",
  ".name { font-size: 13px; font-weight: bold; }",
  ".small { font-size: 11.5px; }",
  "rect { stroke-width: 1.5; }",
  ".flow { stroke-width: 1.5; fill: none; marker-end: url(#tip); }",
  ".plug { stroke-width: 3; }",
  ...rules(light),
  "@media (prefers-color-scheme: dark) {",
  ...rules(dark).map((rule) => `  ${rule}`),
  "}",
].join("\n");

function rules(palette: Palette): readonly string[] {
  const { text, faint, back, thing, line, maker } = palette;
  return [
    `.name { fill: ${text}; }`,
    `.small { fill: ${faint}; }`,
    `.back, .host { fill: ${back}; stroke: ${line}; }`,
    `.thing { fill: ${thing}; stroke: ${line}; }`,
    `.maker { fill: ${maker}; stroke: ${line}; }`,
    `.docker { fill: ${palette.docker}; stroke: ${palette.dockerLine}; }`,
    `.segment { fill: ${palette.segment}; stroke: ${palette.segmentLine}; }`,
    `.libvirt { fill: ${palette.libvirt}; stroke: ${palette.libvirtLine}; }`,
    `.plug { stroke: ${palette.segmentLine}; }`,
    `.flow { stroke: ${faint}; }`,
    `.tip { fill: ${faint}; }`,
  ];
}
