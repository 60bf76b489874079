import type { Previewed } from "../preview-diff/previewed.ts";
import { drawLab } from "./draw-lab.ts";
import { drawOrder, kindOf } from "./draw-order.ts";
import { groupsOf } from "./groups.ts";
import type { Group } from "./groups.ts";
import { labOf } from "./lab.ts";
import type { DrawnLab } from "./lab.ts";
import { box, labels, wrapped } from "./shapes.ts";
import { styleSheet } from "./style.ts";
import { element } from "./xml.ts";

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
