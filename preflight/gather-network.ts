import { readdir, readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { addressText, parseRange, rangeText } from "../config/ipv4.ts";

/** IPv4 of this host. */
export interface NetworkFacts {
  /** Names of all network interfaces, up or down. */
  readonly interfaces: readonly string[];
  /** Ranges in use, by address or route, in CIDR form; without the default route. */
  readonly ranges: readonly { readonly cidr: string; readonly interface: string }[];
}

/** Reads the kernel's own tables. */
export async function gatherNetwork(): Promise<NetworkFacts> {
  const [interfaces, routes] = await Promise.all([
    readdir("/sys/class/net"),
    readFile("/proc/net/route", "utf8"),
  ]);
  return { interfaces, ranges: [...addressRanges(), ...routeRanges(routes)] };
}

function addressRanges(): NetworkFacts["ranges"] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ cidr, internal }) => {
      const range = parseRange(cidr ?? "");
      return range === undefined || internal ? [] : [{ cidr: rangeText(range), interface: name }];
    }),
  );
}

/** Ranges of /proc/net/route: hexadecimal, in the machine's (little-endian) byte order. */
export function routeRanges(table: string): NetworkFacts["ranges"] {
  return table
    .trim()
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [name = "", destination = "", , , , , , mask = ""] = line.split(/\s+/);
      const prefixLength = number(mask).toString(2).replaceAll("0", "").length;
      return prefixLength === 0
        ? []
        : [{ cidr: `${addressText(number(destination))}/${prefixLength}`, interface: name }];
    });
}

function number(littleEndianHex: string): number {
  return Buffer.from(littleEndianHex, "hex").readUInt32LE();
}
