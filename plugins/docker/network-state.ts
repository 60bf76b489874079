import type { Properties } from "../protocol/property-shape.ts";
import {
  isAbsent,
  isList,
  isMap,
  type PropertyMap,
  type PropertyValue,
  revealMap,
  scalarText,
} from "../protocol/property-value.ts";

const text = { shape: { kind: "string" } } as const;
const flag = { shape: { kind: "boolean" } } as const;
const texts = { shape: { kind: "map", of: { kind: "string" } } } as const;

/** Inputs of `docker.Network`. */
export const networkProperties: Properties = {
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
