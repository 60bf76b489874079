import { instance, type Graph } from "@viz-js/viz";
import type { Facts } from "../../components/facts.ts";
import { xmlText } from "../../host/xml-text.ts";
import { StackFacts } from "../engine/facts.ts";
import type { Previewed, PreviewedResource } from "../preview-diff/previewed.ts";
import { groupsOf, type Group } from "./groups.ts";

/** The parts of a lab that are drawn. */
interface DrawnLab {
  readonly network: Facts<"kindows:network:LabNetwork"> | undefined;
  readonly cluster: Facts<"kindows:controlplane:KindCluster"> | undefined;
  readonly workers: readonly string[];
  readonly machines: readonly Facts<"kindows:machine:LibvirtMachine">[];
}

/** The lab in a preview; parts that the stack does not have are undefined or empty. */
export function labOf({ components }: Previewed): DrawnLab {
  const facts = new StackFacts(components);
  const { compare } = new Intl.Collator("en", { numeric: true });
  const [network] = facts.of("kindows:network:LabNetwork").values();
  const [cluster] = facts.of("kindows:controlplane:KindCluster").values();
  const workers = [...facts.of("kindows:controlplane:LinuxWorker").values()];
  const machines = [...facts.of("kindows:machine:LibvirtMachine").values()];
  return {
    network,
    cluster,
    workers: workers.map(({ name }) => name).sort(compare),
    machines: machines.sort((one, other) => compare(one.node, other.node)),
  };
}

/**
 * A picture of a stack, drawn from a preview; the same preview gives the same bytes.
 *
 * The SVG's description repeats everything in words, for screen readers.
 */
export async function topologySvg(stack: string, previewed: Previewed): Promise<string> {
  const lab = labOf(previewed);
  const groups = groupsOf(previewed);
  const providers = previewed.resources
    .filter(({ urn }) => !groups.some((group) => group.resources.some((each) => each.urn === urn)))
    .map(({ type, name }) => `${kindOf(type)} (${name})`);
  const rest = `Not drawn: ${providers.join(", ")}. ${previewed.resources.length} resources in all.`;
  const host = hostGraph(stack, lab);
  const lowest = host.nodes.at(-1)?.name;
  const drawn = (await instance()).renderString(
    {
      directed: true,
      graphAttributes: {
        bgcolor: "transparent",
        newrank: true,
        nodesep: 0.3,
        ranksep: 0.5,
        label: small([rest]),
        labeljust: "l",
        ...font,
      },
      nodeAttributes: { shape: "box", margin: "0.2,0.08", ...font },
      edgeAttributes: { ...font, fontsize: 11, color: "#57606a" },
      subgraphs: [host, orderGraph(groups)],
      // Invisible edges put the order below the host.
      edges: groups.flatMap(({ title, after }) =>
        after.length === 0
          ? [{ tail: lowest ?? title, head: title, attributes: { style: "invis" } }]
          : [],
      ),
    },
    { format: "svg" },
  );
  const words = `<title id="title">${xmlText(`Topology of the stack ${stack}`)}</title>
<desc id="description">${xmlText(description(lab, groups))}</desc>
<style>
${styleSheet}
</style>`;
  return drawn.replace(
    /^[^]*?<svg ([^>]*)>/,
    (_, attributes: string) =>
      `<svg role="img" aria-labelledby="title description" ${attributes}>\n${words}`,
  );
}

const font = { fontname: "Helvetica", fontsize: 13 };
type Html = Readonly<Record<"html", string>>;

function small(lines: readonly string[]): Html {
  const written = lines.map((line) => `${xmlText(line)}<br align="left"/>`).join("");
  return { html: `<font point-size="11">${written}</font>` };
}

function named(name: string, lines: readonly string[] = []): Html {
  const about = lines.length === 0 ? "" : small(lines).html;
  return { html: `<b>${xmlText(name)}</b><br align="left"/>${about}` };
}

const perRow = 3;

function table(head: Html, things: readonly Html[]): Html {
  const left = `align="left" balign="left"`;
  const rows = Array.from({ length: Math.ceil(things.length / perRow) }, (_, row) =>
    things
      .slice(row * perRow, (row + 1) * perRow)
      .map(({ html }) => `<td border="1" ${left}>${html}</td>`),
  ).map((cells) => `<tr>${cells.join("")}</tr>`);
  return {
    html: `<table border="0" cellspacing="10" cellpadding="6"><tr><td colspan="${perRow}" ${left}>${head.html}</td></tr>${rows.join("")}</table>`,
  };
}

const systems = { windows: "Windows", linux: "Linux" } as const;

/** The host: network segment, containers, machines, and what creates them; the lowest node comes last. */
function hostGraph(stack: string, { network, cluster, workers, machines }: DrawnLab) {
  const containers = [
    ...(cluster?.controlPlanes ?? []).map((name) => [name, "control plane: API server, etcd"]),
    ...workers.map((name) => [name, "Linux worker"]),
  ].map(([name = "", what = ""]) =>
    named(name.replace(`${cluster?.name}-`, ""), [what, "a Linux node, created by kind"]),
  );
  const docker = cluster && {
    name: "docker",
    label: table(
      named("Docker", [
        `${cluster.image.replace(/[:@].*/, "")}, addresses from ${network?.containerRange}; pods ${cluster.podCidr}, Services ${cluster.serviceCidr}`,
      ]),
      containers,
    ),
    made: "kind, kubectl",
  };
  const segment = network && {
    name: "segment",
    label: named(`${network.bridge}, ${network.cidr}`, [
      `libvirt's network ${network.name}: NAT, DHCP, DNS; Docker adopts its bridge`,
    ]),
    made: "networks",
  };
  const described = machines.map(({ node, os, address, cpus, memoryMiB, diskGiB, domainType }) => {
    const size = `${cpus} CPU, ${memoryMiB} MiB, ${diskGiB} GiB disk`;
    return named(node, [address, size, `${systems[os]} node, ${domainType}`]);
  });
  const libvirt = machines.length > 0 && {
    name: "libvirt",
    label: table(named("libvirt / QEMU"), described),
    made: "domains, disks\nsteps by SSH",
  };
  const creator = {
    name: "kindows up",
    label: named("kindows up", ["Pulumi engine", "with index.ts and", `Pulumi.${stack}.yaml`]),
  };
  const boxes = [docker, segment, libvirt].filter((each) => each !== undefined && each !== false);
  const beside = (tail: string, head: string, label: string) => ({
    tail,
    head,
    attributes: { label, constraint: false },
  });
  return {
    name: "cluster_host",
    graphAttributes: {
      label: named(`Linux host with the lab ${network?.name ?? cluster?.name ?? ""}`),
      labeljust: "l",
      ...style("host"),
    },
    nodes: [
      { name: creator.name, attributes: { label: creator.label, ...style("maker") } },
      ...boxes.map(({ name, label }) => ({
        name,
        attributes: { label, ...style(name as keyof typeof fills) },
      })),
    ],
    edges: [
      ...boxes.slice(1).map(({ name }, at) => ({
        tail: boxes[at]?.name ?? "",
        head: name,
        attributes: { dir: "none", color: "#9a6700", penwidth: 3 },
      })),
      ...boxes.map(({ name, made }) => beside(creator.name, name, made)),
      ...(docker && libvirt
        ? [beside("libvirt", "docker", "kubeadm join,\nthen the API\nserver at :6443")]
        : []),
    ],
    subgraphs: segment
      ? [{ graphAttributes: { rank: "same" }, nodes: [{ name: creator.name }, segment] }]
      : [],
  } satisfies Graph & { name: string };
}

/** The order of creation: a box for each group, with arrows to those that wait for it. */
function orderGraph(groups: readonly Group[]) {
  return {
    name: "cluster_order",
    graphAttributes: {
      label: named("Order of creation (an arrow points to what waits)"),
      labeljust: "l",
      ...style("host"),
    },
    nodes: groups.map((group) => ({
      name: group.title,
      attributes: {
        label: named(group.title, linesOf(group)),
        ...style("thing"),
        tooltip: group.resources.map(({ type, name }) => `${kindOf(type)} ${name}`).join(", "),
      },
    })),
    edges: groups.flatMap(({ title, after }) => after.map((tail) => ({ tail, head: title }))),
  } satisfies Graph & { name: string };
}

/** The group's resources in their order; consecutive ones of one kind share a line. */
function linesOf({ machine, resources }: Group): readonly string[] {
  const runs: { kind: string; names: string[] }[] = [];
  for (const resource of resources) {
    const kind = kindOf(resource.type);
    const name = shortName(resource, machine);
    const last = runs.at(-1);
    if (last?.kind === kind) last.names.push(name);
    else runs.push({ kind, names: [name] });
  }
  return runs.flatMap(
    ({ kind, names }) => `${kind}: ${names.join(", ")}`.match(/\S.{0,38}(?=\s|$)|\S+/g) ?? [],
  );
}

function shortName({ name }: PreviewedResource, machine: string | undefined): string {
  return machine !== undefined && name.startsWith(`${machine}-`)
    ? name.slice(machine.length + 1)
    : name;
}

/** A short name of the type, enough to find it in a preview: `libvirt Network`, `remote Command`, `DaemonSet`. */
export function kindOf(type: string): string {
  const [origin = "", module = "", kind = ""] = type.split(":");
  if (origin === "pulumi") return `provider ${kind}`;
  if (origin === "command" || origin === "kindows") return `${module} ${kind}`;
  return origin === "kubernetes" ? kind : `${origin} ${kind}`;
}

/** The picture in sentences. */
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
    `Created in this order: ${made.join("; ")}.`,
  ]
    .filter((each) => typeof each === "string")
    .join(" ");
}

/** Fill colors of boxes by class: on a light page, and on a dark one. */
const fills = {
  thing: ["#ffffff", "#161b22"],
  host: ["#ffffff", "#0d1117"],
  maker: ["#f6f8fa", "#161b22"],
  docker: ["#ddf4ff", "#0c2d4a"],
  segment: ["#fff8c5", "#3b2e06"],
  libvirt: ["#dafbe1", "#0f2f1a"],
} as const;

const style = (kind: keyof typeof fills) => ({
  class: kind,
  style: "rounded,filled",
  color: "#8c959f",
  fillcolor: fills[kind][0],
});

const styleSheet = `@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
${Object.entries(fills)
  .map(([kind, [, dark]]) => `  .${kind} > path, .${kind} a > path { fill: ${dark}; }`)
  .join("\n")}
}`;
