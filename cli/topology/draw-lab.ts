import type { DrawnLab, DrawnMachine } from "./lab.ts";
import { box, label, labels, widthOf, type Place, element, type Xml } from "./shapes.ts";

const margin = 16;
/** Room between the maker and what it makes, for the words on the arrows. */
const arrowWidth = 104;
/** Room for the way of the machines to the API server. */
const joinWidth = 124;
const cell = { width: 198, dockerHeight: 78, machineHeight: 94 };
const perRow = 3;
const barHeight = 46;

/** A picture, and how much room it takes. */
export interface Picture {
  readonly shapes: readonly Xml[];
  readonly width: number;
  readonly height: number;
}

/**
 * The host: network segment, containers and machines on it, and who makes them.
 *
 * @param least width that it fills.
 */
export function drawLab(stack: string, lab: DrawnLab, top: number, least: number): Picture {
  const settings = `Pulumi.${stack}.yaml`;
  const labName = lab.network?.name ?? lab.cluster?.name ?? "";
  const makerWidth = Math.max(120, widthOf(settings) + 24);
  const left = margin * 2 + makerWidth + arrowWidth;
  const needed = perRow * cell.width + (perRow + 1) * margin;
  const width = Math.max(least, left + needed + joinWidth + margin);
  const inner = width - left - joinWidth - margin;
  const shapes: Xml[] = [];
  let y = top + 40;
  const first = y;

  const docker = { x: left, y, width: inner, height: 0 };
  const { cluster } = lab;
  if (cluster) {
    const containers = [...cluster.controlPlanes, ...lab.workers];
    const rows = Math.ceil(containers.length / perRow);
    const imageName = cluster.image.replace(/[:@].*/, "");
    docker.height = 54 + rows * (cell.dockerHeight + margin);
    shapes.push(
      box(docker, "docker", 8),
      label(docker.x + margin, y + 22, "Docker", "name"),
      label(
        docker.x + margin,
        y + 40,
        `${imageName}, addresses from ${lab.network?.containerRange}; pods ${cluster.podCidr}, Services ${cluster.serviceCidr}`,
        "small",
      ),
      ...containers.map((name, at) =>
        container(lab, name, at, placed(docker, 54, at, cell.dockerHeight)),
      ),
    );
    y += docker.height + 32;
  }

  const bar = { x: left, y, width: inner, height: barHeight };
  const { network } = lab;
  if (network) {
    shapes.push(
      element(
        "g",
        {},
        element("title", {}, `network segment ${network.bridge}, ${network.cidr}`),
        box(bar, "segment", 8),
        label(bar.x + margin, y + 20, `${network.bridge}, ${network.cidr}`, "name"),
        label(
          bar.x + margin,
          y + 37,
          `libvirt's network ${network.name}: NAT, DHCP, DNS; Docker adopts its bridge`,
          "small",
        ),
      ),
    );
    y += barHeight + 32;
  }

  const libvirt = { x: left, y, width: inner, height: 0 };
  if (lab.machines.length > 0) {
    const rows = Math.ceil(lab.machines.length / perRow);
    libvirt.height = 36 + rows * (cell.machineHeight + margin);
    shapes.push(
      box(libvirt, "libvirt", 8),
      label(libvirt.x + margin, y + 22, "libvirt / QEMU", "name"),
      ...lab.machines.map((each, at) => machine(each, placed(libvirt, 36, at, cell.machineHeight))),
    );
    y += libvirt.height;
  }

  const maker = { x: margin, y: first, width: makerWidth, height: y - first };
  shapes.push(
    box(maker, "maker", 8),
    label(maker.x + 12, first + 22, "kindows up", "name"),
    ...labels(maker.x + 12, first + 46, ["Pulumi engine", "with index.ts and", settings]),
  );
  const from = maker.x + maker.width;
  if (cluster) shapes.push(...arrow(from, left, docker.y + docker.height / 2, "kind, kubectl"));
  if (network) shapes.push(...arrow(from, left, bar.y + barHeight / 2, "networks"));
  if (lab.machines.length > 0) {
    const middle = libvirt.y + libvirt.height / 2;
    shapes.push(...arrow(from, left, middle, "domains, disks", "steps by SSH"));
  }
  const cable = left + inner / 2;
  if (cluster && network) shapes.push(plug(cable, docker.y + docker.height, bar.y));
  if (network && lab.machines.length > 0) shapes.push(plug(cable, bar.y + barHeight, libvirt.y));
  if (cluster && lab.machines.length > 0) {
    const right = left + inner;
    const below = libvirt.y + 40;
    const above = docker.y + 40;
    shapes.push(
      element("path", {
        class: "flow",
        d: `M${right} ${below} H${right + 28} V${above} H${right + 3}`,
      }),
      ...labels(right + 36, bar.y + 18, ["kubeadm join,", "then the API", "server at :6443"]),
    );
  }
  const body = { x: 1, y: top, width: width - 2, height: y - top + margin };
  const title = `Linux host with the lab ${labName}`;
  return {
    shapes: [box(body, "host", 12), label(margin, top + 24, title, "name"), ...shapes],
    width,
    height: body.height,
  };
}

function container(lab: DrawnLab, name: string, at: number, place: Place): Xml {
  const { controlPlanes = [] } = lab.cluster ?? {};
  const isControlPlane = at < controlPlanes.length;
  const what = isControlPlane ? "control plane: API server, etcd" : "Linux worker";
  return element(
    "g",
    {},
    element("title", {}, `container ${name}, ${what}`),
    box(place, "thing"),
    label(place.x + 12, place.y + 22, name.replace(`${lab.cluster?.name}-`, ""), "name"),
    ...labels(place.x + 12, place.y + 42, [what, "a Linux node, made by kind"]),
  );
}

const systems = { windows: "Windows", linux: "Linux" } as const;

function machine(each: DrawnMachine, place: Place): Xml {
  const { node, os, address, cpus, memoryMiB, diskGiB, domainType } = each;
  const size = `${cpus} CPU, ${memoryMiB} MiB, ${diskGiB} GiB disk`;
  return element(
    "g",
    {},
    element("title", {}, `machine ${node}, ${address}, ${size}, ${domainType}`),
    box(place, "thing"),
    label(place.x + 12, place.y + 22, node, "name"),
    ...labels(place.x + 12, place.y + 42, [address, size, `${systems[os]} node, ${domainType}`]),
  );
}

/** The place of a cell in a box, in rows from left to right. */
function placed({ x, y }: Place, top: number, at: number, height: number): Place {
  return {
    x: x + margin + (at % perRow) * (cell.width + margin),
    y: y + top + Math.floor(at / perRow) * (height + margin),
    width: cell.width,
    height,
  };
}

function arrow(from: number, to: number, y: number, above: string, below?: string): readonly Xml[] {
  const height = Math.round(y);
  return [
    element("path", { class: "flow", d: `M${from} ${height} H${to - 3}` }),
    label(from + 8, height - 7, above, "small"),
    ...(below === undefined ? [] : [label(from + 8, height + 17, below, "small")]),
  ];
}

function plug(x: number, from: number, to: number): Xml {
  return element("line", { class: "plug", x1: x, y1: from, x2: x, y2: to });
}
