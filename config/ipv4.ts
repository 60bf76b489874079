import ipaddr from "ipaddr.js";

export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
  readonly prefixLength: number;
}

export function addressNumber(text: string): number | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) return undefined;
  return ipaddr.IPv4.parse(text).octets.reduce((number, octet) => number * 256 + octet, 0);
}

export function addressText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

/** Parses a range in CIDR form and clears its host bits; undefined if the text has another form. */
export function parseRange(text: string): Ipv4Range | undefined {
  const [address, prefix, ...rest] = text.split("/");
  const number = addressNumber(address ?? "");
  if (number === undefined || rest.length > 0 || !/^(0|[1-9]\d?)$/.test(prefix ?? "")) {
    return undefined;
  }
  const prefixLength = Number(prefix);
  if (prefixLength > 32) return undefined;
  const size = 2 ** (32 - prefixLength);
  const first = Math.floor(number / size) * size;
  return { first, last: first + size - 1, prefixLength };
}

export function rangeText(range: Ipv4Range): string {
  return `${addressText(range.first)}/${range.prefixLength}`;
}

export function overlaps(one: Ipv4Range, other: Ipv4Range): boolean {
  return one.first <= other.last && other.first <= one.last;
}

export function contains(range: Ipv4Range, address: number): boolean {
  return range.first <= address && address <= range.last;
}
