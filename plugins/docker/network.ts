import { createHash } from "node:crypto";
import { type DockerEngine, DockerError } from "../../host/docker-engine.ts";
import type { Operation } from "../protocol/operation.ts";
import { diffProperties } from "../protocol/property-diff.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import {
  isAbsent,
  isList,
  isPlainMap,
  type PropertyMap,
  type PropertyValue,
  sameValue,
  unknown,
  isMap,
  revealMap,
  scalarText,
} from "../protocol/property-value.ts";
import type { ResourceType } from "../protocol/resource-type.ts";

/** Key under which the official plugin keeps, at every level, the names of the inputs that it filled in itself. */
const DEFAULTS = "__defaults";

/** Containers need a moment to leave a network; longer than this and something else holds it. */
const LEAVE_SECONDS = 30;

/** `docker.Network`: a network of the Docker engine. Every change replaces it. */
export function networkType(api: () => DockerEngine): ResourceType {
  const inspect = async (
    id: string,
    signal: AbortSignal,
  ): Promise<InspectedNetwork | undefined> => {
    try {
      const path = `/networks/${encodeURIComponent(id)}`;
      return (await api().request("GET", path, { signal })) as InspectedNetwork;
    } catch (error) {
      if (error instanceof DockerError && error.status === 404) return undefined;
      throw error;
    }
  };

  return {
    check({ name, olds, news, randomSeed }) {
      const given = withoutDefaults(news);
      const checked = checkProperties("docker", networkProperties, given);
      if (!isAbsent(given["name"])) {
        return { ...checked, inputs: { ...checked.inputs, [DEFAULTS]: [] } };
      }
      const madeUp = isMadeUp(olds) ? olds["name"] : undefined;
      const inputs = {
        ...checked.inputs,
        name: madeUp ?? `${name}-${randomSuffix(randomSeed)}`,
        [DEFAULTS]: ["name"],
      };
      return { ...checked, inputs };
    },
    diff({ oldInputs, olds, news }) {
      // What the program no longer asks for counts too, hence the old inputs.
      const live = liveInputs(withoutDefaults(oldInputs), olds);
      const changes = diffProperties(live, withoutDefaults(news)).map((change) => ({
        ...change,
        replaces: true,
      }));
      const sameName = sameValue(oldInputs["name"], news["name"]);
      return { changes, deleteBeforeReplace: sameName };
    },
    async create({ inputs, preview }, { signal }) {
      if (preview) return { id: "", properties: previewState(inputs) };
      const body = createBody(inputs);
      const answer = await api().request("POST", "/networks/create", { body, signal });
      const { Id: id } = answer as { Id: string };
      const found = await inspect(id, signal);
      if (found === undefined) throw new Error(`network ${id} vanished right after it was made`);
      return { id, properties: networkState(found) };
    },
    async read({ id, inputs, state }, { signal }) {
      const found = await inspect(id, signal);
      if (found === undefined) return undefined;
      const live = networkState(found);
      if (inputs !== undefined) return { inputs: liveInputs(inputs, live), state: live };
      const asked = isAbsent(state["name"]) ? { name: found.Name } : {};
      return { inputs: { ...asked, [DEFAULTS]: [] }, state: live };
    },
    update: ({ id }) => Promise.reject(new Error(`network ${id} cannot be changed in place`)),
    async delete({ id }, operation) {
      await remove(api(), id, operation, () => inspect(id, operation.signal));
    },
  };
}

async function remove(
  api: DockerEngine,
  id: string,
  operation: Operation,
  inspect: () => Promise<InspectedNetwork | undefined>,
): Promise<void> {
  const { signal } = operation;
  const end = Date.now() + LEAVE_SECONDS * 1000;
  for (;;) {
    try {
      await api.request("DELETE", `/networks/${encodeURIComponent(id)}`, { signal });
      return;
    } catch (error) {
      if (!(error instanceof DockerError)) throw error;
      if (error.status === 404) return;
      if (!error.message.includes("active endpoints")) throw error;
      const users = Object.values((await inspect())?.Containers ?? {}).map(({ Name }) => Name);
      if (Date.now() > end || signal.aborted) {
        throw new Error(
          `${error.message}; waited ${String(LEAVE_SECONDS)} s for ${users.join(", ")} to leave it (docker rm --force removes a container)`,
        );
      }
      operation.progress(`waiting for ${users.join(", ")} to leave the network`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

function isMadeUp(inputs: PropertyMap): boolean {
  const defaults = inputs[DEFAULTS];
  return isList(defaults) && defaults.includes("name");
}

/** The same in preview and update, since the engine gives both the same seed. */
function randomSuffix(seed: Uint8Array): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, 7);
}

function previewState(inputs: PropertyMap): PropertyMap {
  const outputs = Object.keys(networkProperties).filter((name) => isAbsent(inputs[name]));
  return {
    ...withoutDefaults(inputs),
    ...Object.fromEntries(outputs.map((name) => [name, unknown])),
    scope: unknown,
  };
}

/** The inputs as the program gave them, in a state that either plugin wrote. */
export function withoutDefaults(inputs: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([name]) => name !== DEFAULTS)
      .map(([name, value]) => [name, value === undefined ? undefined : strip(value)]),
  );
}

function strip(value: PropertyValue): PropertyValue {
  if (isList(value)) return value.map(strip);
  return isPlainMap(value) ? withoutDefaults(value) : value;
}

const text = { shape: { kind: "string" } } as const;
const flag = { shape: { kind: "boolean" } } as const;
const texts = { shape: { kind: "map", of: { kind: "string" } } } as const;

/** Inputs of `docker.Network`. */
const networkProperties: Properties = {
  name: text,
  driver: text,
  options: texts,
  internal: flag,
  attachable: flag,
  ingress: flag,
  ipv6: flag,
  labels: {
    shape: {
      kind: "list",
      of: {
        kind: "object",
        of: { label: { ...text, required: true }, value: { ...text, required: true } },
      },
    },
  },
  ipamDriver: text,
  ipamOptions: texts,
  ipamConfigs: {
    shape: {
      kind: "list",
      of: {
        kind: "object",
        of: { subnet: text, gateway: text, ipRange: text, auxAddress: texts },
      },
    },
  },
};

/** What Docker says of a network (`GET /networks/<id>`), as far as it is used. */
export interface InspectedNetwork {
  readonly Name: string;
  readonly Id: string;
  readonly Scope: string;
  readonly Driver: string;
  readonly EnableIPv6: boolean;
  readonly Internal: boolean;
  readonly Attachable: boolean;
  readonly Ingress: boolean;
  readonly Options: Readonly<Record<string, string>> | null;
  readonly Labels: Readonly<Record<string, string>> | null;
  readonly IPAM: {
    readonly Driver: string;
    readonly Options: Readonly<Record<string, string>> | null;
    readonly Config: readonly IpamConfig[] | null;
  };
  readonly Containers?: Readonly<Record<string, { readonly Name: string }>>;
}

interface IpamConfig {
  readonly Subnet?: string;
  readonly Gateway?: string;
  readonly IPRange?: string;
  readonly AuxiliaryAddresses?: Readonly<Record<string, string>>;
}

/** Body of `POST /networks/create` for the inputs. */
export function createBody(inputs: PropertyMap): Record<string, unknown> {
  const plain = revealMap(inputs);
  return {
    Name: scalarText(plain["name"]),
    // Older engines allow two networks of one name by default.
    CheckDuplicate: true,
    Driver: scalarText(plain["driver"]) ?? "bridge",
    Options: plain["options"],
    Internal: plain["internal"] === true,
    Attachable: plain["attachable"] === true,
    Ingress: plain["ingress"] === true,
    EnableIPv6: plain["ipv6"] === true,
    Labels: Object.fromEntries(
      maps(plain["labels"]).map(({ label, value }) => [scalarText(label), scalarText(value)]),
    ),
    IPAM: {
      Driver: scalarText(plain["ipamDriver"]) ?? "default",
      Options: plain["ipamOptions"],
      Config: maps(plain["ipamConfigs"]).map((config) => ({
        Subnet: config["subnet"],
        Gateway: config["gateway"],
        IPRange: config["ipRange"],
        AuxiliaryAddresses: config["auxAddress"],
      })),
    },
  };
}

/** The state of a network, as the official plugin writes it. */
export function networkState(found: InspectedNetwork): PropertyMap {
  const labels = Object.entries(found.Labels ?? {}).sort();
  return {
    name: found.Name,
    driver: found.Driver,
    scope: found.Scope,
    internal: found.Internal,
    attachable: found.Attachable,
    ingress: found.Ingress,
    ipv6: found.EnableIPv6,
    options: found.Options ?? {},
    labels: labels.map(([label, value]) => ({ label, value })),
    ipamDriver: found.IPAM.Driver,
    ipamOptions: found.IPAM.Options ?? {},
    ipamConfigs: (found.IPAM.Config ?? []).map((config) => ({
      subnet: config.Subnet,
      gateway: config.Gateway,
      ipRange: config.IPRange,
      auxAddress: config.AuxiliaryAddresses,
    })),
  };
}

/**
 * The inputs as they would have to be for the live state: every input the program gave, with the value it has now.
 * What Docker adds by itself (further options, an IPv6 range) is not counted as a difference.
 */
export function liveInputs(inputs: PropertyMap, state: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, given]) =>
      name.startsWith("__") ? [name, given] : [name, liveValue(name, given, state[name])],
    ),
  );
}

function liveValue(
  name: string,
  given: PropertyValue | undefined,
  live: PropertyValue | undefined,
): PropertyValue | undefined {
  if (isMap(given) && isMap(live)) {
    return Object.fromEntries(Object.keys(given).map((key) => [key, live[key]]));
  }
  if (name === "labels" && isList(given) && isList(live)) {
    const byLabel = new Map(maps(live).map((entry) => [entry["label"], entry]));
    return maps(given).map((entry) => byLabel.get(entry["label"]) ?? {});
  }
  if (name === "ipamConfigs" && isList(given) && isList(live)) {
    return maps(given).map((config, index) => liveInputs(config, maps(live)[index] ?? {}));
  }
  return isAbsent(live) ? undefined : live;
}

function maps(value: PropertyValue | undefined): readonly PropertyMap[] {
  return isList(value) ? value.filter(isMap) : [];
}
