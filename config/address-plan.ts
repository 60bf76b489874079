import { addressNumber, addressText, contains, parseRange, rangeText } from "./ipv4.ts";

export interface AddressPlan {
  /** The segment in CIDR form, host bits cleared. */
  readonly cidr: string;
  readonly gateway: string;
  /** First and last address for machines; libvirt's DHCP server only hands out these. */
  readonly machines: { readonly first: string; readonly last: string };
  /** The part of the segment, in CIDR form, that Docker takes the addresses of kind's containers from. */
  readonly containerRange: string;
  /** The address that Docker gives the first container, which is the first control plane. */
  readonly firstContainer: string;
}

export const maxSegmentPrefixLength = 24;

const gatewayOffset = 1;
const firstMachineOffset = 2;
const lastMachineOffset = 99;
const firstAutomaticOffset = 10;

/** `.1` is the gateway, `.2` to `.99` are for machines, and the upper half is for containers. */
export function addressPlan(cidr: string): AddressPlan {
  const segment = parseRange(cidr);
  if (segment === undefined || !fitsPlan(cidr)) {
    throw new RangeError(`"${cidr}" is not an IPv4 range of at least /${maxSegmentPrefixLength}`);
  }
  const half = (segment.last - segment.first + 1) / 2;
  const prefixLength = segment.prefixLength + 1;
  const containers = { first: segment.first + half, last: segment.last, prefixLength };
  return {
    cidr: rangeText(segment),
    gateway: addressText(segment.first + gatewayOffset),
    machines: {
      first: addressText(segment.first + firstMachineOffset),
      last: addressText(segment.first + lastMachineOffset),
    },
    containerRange: rangeText(containers),
    firstContainer: addressText(containers.first),
  };
}

/**
 * The address of the lab's registry: the last in the part of the segment that Docker gives to containers. Others get the
 * first that is free.
 */
export function registryAddress(containerRange: string, cidr: string): string {
  const [range, segment] = [parseRange(containerRange), parseRange(cidr)];
  if (range === undefined || segment === undefined) {
    throw new RangeError(`"${containerRange}" is no part of "${cidr}"`);
  }
  // The segment's last address is that of its broadcasts.
  return addressText(range.last === segment.last ? range.last - 1 : range.last);
}

/** The part of a plan that a network which was there before has too. */
type SegmentPlan = Pick<AddressPlan, "cidr" | "gateway"> &
  Partial<Pick<AddressPlan, "containerRange">>;

/** The plan of a lab's own segment. In a network that was there before, the containers' addresses are chosen by `up`. */
export function segmentPlan({ cidr, found }: SegmentSettings): SegmentPlan {
  return found === undefined ? addressPlan(cidr) : { cidr, gateway: found.gateway };
}

interface SegmentSettings {
  readonly cidr: string;
  readonly found?: { readonly gateway: string };
}

export function fitsPlan(cidr: string): boolean {
  const segment = parseRange(cidr);
  return segment !== undefined && segment.prefixLength <= maxSegmentPrefixLength;
}

export function segmentOf(
  settings: {
    readonly network: { readonly cidr: string };
    readonly hypervisors: readonly { readonly name: string; readonly cidr?: string | undefined }[];
  },
  hypervisor: string,
): string {
  const own = settings.hypervisors.find(({ name }) => name === hypervisor);
  return own?.cidr ?? settings.network.cidr;
}

/** Addresses in `cidr` that can be assigned to machines, lowest first, without those in `taken`. */
export function freeAddresses(cidr: string, taken: readonly (string | undefined)[]): string[] {
  const first = parseRange(cidr)?.first ?? 0;
  const count = lastMachineOffset - firstAutomaticOffset + 1;
  return Array.from({ length: count }, (_, index) =>
    addressText(first + firstAutomaticOffset + index),
  ).filter((address) => !taken.includes(address));
}

/**
 * Each machine gets the address it asks for, or else the first free one of its segment. Appending a machine does not
 * change the addresses of the others.
 */
export function assignAddresses(
  wanted: readonly { readonly segment: string; readonly address: string | undefined }[],
): string[] {
  const taken = wanted.map(({ address }) => address);
  const wanting = wanted.filter(({ address }) => address === undefined);
  const free = new Map(
    wanting.map(({ segment }) => [segment, freeAddresses(addressPlan(segment).cidr, taken)]),
  );
  return wanted.map(({ segment, address }) => {
    const assigned = address ?? free.get(segment)?.shift();
    if (assigned === undefined) {
      throw new RangeError(`no address left in ${segment} for ${wanted.length} machines`);
    }
    return assigned;
  });
}

/**
 * Why a machine can't have this address; undefined if it can.
 *
 * @param owner the hypervisor that `cidr` belongs to; undefined for the lab's shared segment.
 */
export function addressFault(cidr: string, address: string, owner?: string): string | undefined {
  const plan = addressPlan(cidr);
  const [segment, containers] = [parseRange(plan.cidr), parseRange(plan.containerRange)];
  const number = addressNumber(address);
  if (segment === undefined || number === undefined || !contains(segment, number)) {
    return `is outside ${owner === undefined ? "kindows:network.cidr" : `the cidr of ${owner}`}, ${plan.cidr}`;
  }
  if (number === segment.first) return `is the address of the network ${plan.cidr} itself`;
  if (number === segment.last) return `is the broadcast address of ${plan.cidr}`;
  if (address === plan.gateway) return "is the gateway's address, which the bridge has";
  if (owner === undefined && containers !== undefined && contains(containers, number)) {
    return `is in ${plan.containerRange}, from which Docker gives kind's containers their addresses`;
  }
  return number > segment.first + lastMachineOffset
    ? "is above the addresses reserved for machines"
    : undefined;
}
