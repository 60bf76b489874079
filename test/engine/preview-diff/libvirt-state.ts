import * as z from "zod";

const previewSchema = z.object({
  steps: z.array(
    z.object({
      op: z.string(),
      urn: z.string(),
      newState: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

type Properties = Record<string, unknown>;

/** What the engine prints for an output that is not known yet. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The id of everything that is there. */
export const id = "11111111-2222-3333-4444-555555555555";

/**
 * What libvirt's provider writes down of what it has made, besides the inputs (terraform-provider-libvirt 0.8.3). Only
 * what holds no secret.
 */
const made: Readonly<Record<string, (inputs: Properties) => Properties>> = {
  "libvirt:index/network:Network": () => ({ networkId: id }),
  "libvirt:index/pool:Pool": () => ({ poolId: id, capacity: 1, allocation: 1, available: 1 }),
  "libvirt:index/volume:Volume": (inputs) => ({ volumeId: id, size: 1, ...inputs }),
};

/**
 * A state in which a lab's network, pool and disks are there, and nothing else: made of what a preview asks for.
 *
 * @param preview what `pulumi preview --json` prints for a stack without a state.
 * @param pool name of the pool, which outputs of it are in the inputs of others.
 */
export function stateOfLibvirt(preview: string, pool: string, manifest: unknown): string {
  const { steps } = previewSchema.parse(JSON.parse(preview));
  const known = (value: unknown, key = ""): unknown => {
    if (value === unknown) return key === "pool" ? pool : id;
    if (Array.isArray(value)) return value.map((each) => known(each));
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, known(each, name)]))
      : value;
  };
  const all = steps.flatMap(({ newState }) => (newState === undefined ? [] : [newState]));
  const kept = all.filter(({ type }) => made[String(type)] !== undefined || isAround(String(type)));
  const urns = new Set(kept.map(({ urn }) => urn));
  const resources = kept.map((each) => {
    const inputs = known(each["inputs"] ?? {}) as Properties;
    const type = String(each["type"]);
    const provider = each["provider"];
    const uri = type === "pulumi:providers:libvirt" ? { uri: "qemu:///system" } : {};
    return {
      urn: each["urn"],
      type,
      custom: each["custom"],
      parent: each["parent"],
      ...(each["custom"] === true && { id }),
      inputs: { ...inputs, ...uri },
      outputs: { ...inputs, ...uri, ...made[type]?.(inputs) },
      dependencies: (each["dependencies"] as string[] | undefined)?.filter((urn) => urns.has(urn)),
      ...(typeof provider === "string" && {
        provider: `${provider.slice(0, provider.lastIndexOf("::"))}::${id}`,
      }),
    };
  });
  return JSON.stringify({ version: 3, deployment: { ...(manifest as object), resources } });
}

/** What the disks and the network are below, and who makes them. */
function isAround(type: string): boolean {
  return [
    "pulumi:pulumi:Stack",
    "pulumi:providers:libvirt",
    "kindows:network:LabNetwork",
    "kindows:machine:MachineStorage",
    "kindows:machine:LibvirtMachine",
  ].includes(type);
}

/** What is done to what libvirt has, by `<last word of the type> <name>`. */
export function operationsOf(preview: string): Readonly<Record<string, string>> {
  const { steps } = previewSchema.parse(JSON.parse(preview));
  return Object.fromEntries(
    steps
      .filter(({ newState }) => made[String(newState?.["type"])] !== undefined)
      .filter(({ op }) => op !== "create-replacement" && op !== "delete-replaced")
      .map(({ op, urn, newState }) => [
        `${String(newState?.["type"]).split(":").at(-1)} ${urn.split("::").at(-1)}`,
        op,
      ]),
  );
}
