import { isIPv4 } from "node:net";

/** A way to a range of addresses. */
export interface Route {
  /** IPv4 range in CIDR form, e.g. `10.244.0.0/16`. */
  readonly destination: string;
  /** IPv4 address of the neighbour that carries packets on. */
  readonly nextHop: string;
}

/** A route as the steps write it, `destination=next hop`. */
export function routeText({ destination, nextHop }: Route): string {
  return `${destination}=${nextHop}`;
}

/** Routes as the steps write them, separated by semicolons. */
export function parseRoutes(text: string): Route[] {
  return text
    .split(";")
    .filter((each) => each !== "")
    .map((each) => {
      const [destination = "", nextHop = ""] = each.split("=", 2);
      return { destination, nextHop };
    });
}

/**
 * Whether an address is a neighbour of a machine, and none of its own.
 *
 * @param own the machine's addresses with their prefixes, e.g. `192.168.150.10/24`.
 */
export function isNeighbour(address: string, own: readonly string[]): boolean {
  const bits = addressBits(address);
  return own.some((each) => {
    const [ownAddress = "", length = "32"] = each.split("/");
    return (
      ownAddress !== address &&
      addressBits(ownAddress).slice(0, Number(length)) === bits.slice(0, Number(length))
    );
  });
}

function addressBits(address: string): string {
  if (!isIPv4(address)) throw new Error(`"${address}" is no IPv4 address`);
  return address
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("");
}
