/** Calico settings in its own API, which is available later. */
export interface CalicoConfiguration {
  /** Fields of the FelixConfiguration `default`. */
  readonly felix: Readonly<Record<string, string | number | boolean>>;
}

/** A resource of Calico's API, whose only instance is called `default`. */
export interface CalicoResource {
  readonly kind: "IPAMConfiguration" | "FelixConfiguration";
  readonly plural: "ipamconfigurations" | "felixconfigurations";
  /** Fields to set; those with `undefined` are removed. */
  readonly spec: Readonly<Record<string, string | number | boolean | undefined>>;
}

/**
 * Settings in Calico's API. Strict affinity assigns each address block to one node: a Windows node cannot take addresses
 * from another's block, and the operator waits for it before it configures Windows nodes.
 *
 * @param earlier names of Felix's fields that were set before; those that are no longer set are removed.
 */
export function calicoResources(
  { felix }: CalicoConfiguration,
  earlier: readonly string[] = [],
): readonly CalicoResource[] {
  const dropped = earlier.filter((name) => !(name in felix));
  return [
    {
      kind: "IPAMConfiguration",
      plural: "ipamconfigurations",
      spec: { strictAffinity: true, autoAllocateBlocks: true },
    },
    {
      kind: "FelixConfiguration",
      plural: "felixconfigurations",
      spec: { ...Object.fromEntries(dropped.map((name) => [name, undefined])), ...felix },
    },
  ];
}

/** A spec with the fields set; undefined if it has them already. */
export function withFields(
  spec: Readonly<Record<string, unknown>>,
  fields: CalicoResource["spec"],
): Readonly<Record<string, unknown>> | undefined {
  const changed = Object.entries(fields).some(([name, value]) => spec[name] !== value);
  if (!changed) return undefined;
  const merged = Object.entries({ ...spec, ...fields });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}
