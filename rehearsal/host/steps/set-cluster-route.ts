import { type Route, isNeighbour, parseRoutes, routeText } from "../routes.ts";
import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import type { WindowsHost } from "../windows-host.ts";
import { readRouteRecord, saveRouteRecord } from "./node-routes.ts";

/** Makes the wanted routes, and forgets those of an earlier run that are not wanted any more. */
export async function setClusterRoute(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const text = parameters.text("Route");
  const wanted = parseRoutes(text);
  const own = await readRouteRecord(host);
  for (const route of wanted) {
    assertNeighbour(host, route);
    assertFree(host, route, own);
  }
  const there = host.settings.routes;
  // One that is there and not ours stays somebody else's.
  const mine = wanted.filter((route) => includes(own, route) || !includes(there, route));

  await saveRouteRecord(host, [...own, ...mine.filter((route) => !includes(own, route))]);
  let changed = false;
  for (const route of own.filter((each) => !includes(wanted, each))) {
    if (await host.settings.removeRoute(route)) changed = true;
  }
  await context.checkpoint();
  for (const route of mine) {
    if (await host.settings.addRoute(route)) changed = true;
  }
  // Also when nothing changed: a run cut short may have written them down only.
  await host.applyRoutes();
  await saveRouteRecord(host, mine);
  return { changed, facts: { routes: text } };
}

function assertNeighbour({ programs }: WindowsHost, { nextHop }: Route): void {
  const own = programs.segments();
  if (isNeighbour(nextHop, own)) return;
  throw new StepError(
    "NextHopOffSegment",
    `${nextHop} is to carry packets on, and is no neighbour of this machine. It has ${own.join(", ")}.`,
    "Give the machine an address on the segment of the control plane, or look at which address that has.",
  );
}

function assertFree({ settings }: WindowsHost, wanted: Route, own: readonly Route[]): void {
  const other = settings.routes.find(
    (route) =>
      route.destination === wanted.destination &&
      route.nextHop !== wanted.nextHop &&
      !includes(own, route),
  );
  if (other === undefined) return;
  const { destination, nextHop } = wanted;
  throw new StepError(
    "ForeignRoute",
    `This machine has a route to ${destination} by way of ${other.nextHop}; it must be ${nextHop}.`,
    `Remove that route on the machine: route.exe delete ${destination.replace(/\/.*$/, "")}`,
  );
}

function includes(routes: readonly Route[], route: Route): boolean {
  return routes.some((each) => routeText(each) === routeText(route));
}
