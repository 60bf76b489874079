import { networkInterfaces } from "node:os";

import { podNetworks } from "../../components/cni/registry.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { addressPlan } from "../../config/address-plan.ts";
import type { Settings } from "../../config/settings.ts";
import { hasClusterRoutes } from "../../stacks/cluster-routes.ts";
import type { Facts } from "../../verify/cluster/facts.ts";
import { whyNoInternet } from "../../verify/cluster/internet.ts";
import { readNodes } from "../../verify/cluster/snapshot.ts";
import { pathRows } from "../../verify/rows/paths.ts";
import type { Row } from "../../verify/rows/row.ts";

/** Address of this host on the lab's segment: what pods reach without an internet. */
export function hostAddress(settings: Settings): string {
  return addressPlan(settings.network.cidr).gateway;
}

/** Why rows that go out to the internet can't be run here. It is asked only where one goes there. */
export async function whyNoInternetFor(rows: readonly Row[]): Promise<string | undefined> {
  const outward = pathRows.filter(({ target }) => target.to === "internet");
  return rows.some(({ id }) => outward.some((row) => row.id === id)) ? whyNoInternet() : undefined;
}

/** What decides which rows can be run in a lab. */
export async function labFacts(
  settings: Settings,
  api: ClusterApi,
  rows: readonly Row[],
): Promise<Facts> {
  const [nodes, noInternet] = await Promise.all([readNodes(api), whyNoInternetFor(rows)]);
  const address = hostAddress(settings);
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return {
    nodes,
    rehearsal: settings.windows.image.kind === "rehearsal",
    ...podNetworks[settings.cni.kind].lackingOnWindows,
    windowsNodeRoutes: hasClusterRoutes(settings),
    ...(!own.some((each) => each.address === address) && {
      noHost: `needs a server on the lab's segment: this host does not have its address ${address}`,
    }),
    ...(noInternet !== undefined && { noInternet }),
  };
}
