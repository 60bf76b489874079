/** Where Windows has routes: those in force, and those that come back with a boot. */
export const routeStores = ["ActiveStore", "PersistentStore"] as const;
export type RouteStore = (typeof routeStores)[number];

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
