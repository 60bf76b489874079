import type { Previewed } from "../preview-diff/previewed.ts";
import type { PreviewedResource } from "../preview-diff/previewed-resource.ts";
import type { Value } from "../preview-diff/value.ts";

/** A virtual machine, as the program asks for it. */
export interface DrawnMachine {
  /** Node and computer name. */
  readonly name: string;
  readonly os: "windows" | "linux";
  /** Nothing where it is known only after `up`. */
  readonly address?: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  /** Nothing where its disk has the image's size. */
  readonly diskGiB?: number;
  /** libvirt's domain type: kvm or qemu. */
  readonly virtualization: string;
}

/** What of a stack stands on the host, and how it hangs together. */
export interface DrawnLab {
  readonly stack: string;
  /** The lab's name, `kindows-<lab>`. */
  readonly name: string;
  readonly network?: { readonly cidr: string; readonly bridge: string; readonly mode: string };
  readonly cluster?: {
    /** Names of containers and nodes. */
    readonly controlPlanes: readonly string[];
    readonly workers: readonly string[];
    /** Addresses that Docker gives to them. */
    readonly range: string;
    readonly image: string;
    readonly podCidr: string;
    readonly serviceCidr: string;
  };
  readonly machines: readonly DrawnMachine[];
}

/** What a preview says about the lab itself; a stack without a network, a cluster or machines has none in its picture. */
export function labOf({ resources }: Previewed): DrawnLab {
  const of = (type: string): readonly PreviewedResource[] =>
    resources.filter((resource) => resource.type === type);
  const commands = of("command:local:Command");
  const network = of("libvirt:index/network:Network")[0];
  const docker = of("docker:index/network:Network")[0];
  const cluster = commands
    .map(({ inputs }) => at(inputs, "environment", "CLUSTER"))
    .find((each) => each !== undefined);
  const name = text(at(network?.inputs, "name")) ?? text(at(cluster, "name")) ?? "";
  return {
    stack: /^urn:pulumi:([^:]+)::/.exec(resources[0]?.urn ?? "")?.[1] ?? "",
    name,
    ...(network && {
      network: {
        cidr: text(at(network.inputs, "addresses", 0)) ?? "",
        bridge: text(at(network.inputs, "bridge")) ?? "",
        mode: text(at(network.inputs, "mode")) ?? "",
      },
    }),
    ...(cluster !== undefined && {
      cluster: {
        controlPlanes: controlPlaneNames(
          text(at(cluster, "name")) ?? "",
          Number(at(cluster, "controlPlanes") ?? 1),
        ),
        workers: commands.flatMap(
          ({ inputs }) => text(at(inputs, "environment", "WORKER", "name")) ?? [],
        ),
        range: text(at(docker?.inputs, "ipamConfigs", 0, "ipRange")) ?? "",
        image: (text(at(cluster, "image")) ?? "").replace(/[:@].*/, ""),
        podCidr: text(at(cluster, "podCidr")) ?? "",
        serviceCidr: text(at(cluster, "serviceCidr")) ?? "",
      },
    }),
    machines: of("libvirt:index/domain:Domain").map((domain) => machineOf(domain, resources)),
  };
}

/** As kind names them: the first without a number. */
function controlPlaneNames(cluster: string, count: number): readonly string[] {
  return Array.from(
    { length: count },
    (_, at) => `${cluster}-control-plane${at === 0 ? "" : at + 1}`,
  );
}

function machineOf(
  { name, inputs }: PreviewedResource,
  all: readonly PreviewedResource[],
): DrawnMachine {
  const disk = all.find(
    (each) => each.type === "libvirt:index/volume:Volume" && each.name === name,
  );
  const size = at(disk?.inputs, "size");
  const isLinux = all.some((each) => each.type === "kindows:linux:LinuxNode" && each.name === name);
  const address = text(at(inputs, "networkInterfaces", 0, "addresses", 0));
  return {
    name,
    os: isLinux ? "linux" : "windows",
    ...(address !== undefined && { address }),
    cpus: Number(at(inputs, "vcpu") ?? 1),
    memoryMiB: Number(at(inputs, "memory") ?? 512),
    ...(typeof size === "number" && { diskGiB: size / 1024 ** 3 }),
    virtualization: text(at(inputs, "type")) ?? "",
  };
}

/** What lies in a value under these keys. */
function at(value: Value | undefined, ...keys: readonly (string | number)[]): Value | undefined {
  let current = value;
  for (const key of keys) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Readonly<Record<string | number, Value>>)[key];
  }
  return current;
}

function text(value: Value | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
