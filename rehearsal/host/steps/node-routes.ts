import * as z from "zod";
import { type Route, parseRoutes, routeText } from "../routes.ts";
import type { WindowsHost } from "../windows-host.ts";

/** The same as lib/ClusterRoute.ps1. */
const recordPath = "C:\\kindows\\state\\routes.json";
const recordSchema = z.strictObject({ routes: z.array(z.string()) });

/** Routes that the steps have made; empty where there are none. */
export async function readRouteRecord({ drive }: WindowsHost): Promise<readonly Route[]> {
  const text = await drive.readText(recordPath);
  if (text === undefined) return [];
  return recordSchema.parse(JSON.parse(text)).routes.flatMap(parseRoutes);
}

/** Writes down which routes are the steps' own; none removes the record. */
export async function saveRouteRecord(
  { drive }: WindowsHost,
  routes: readonly Route[],
): Promise<void> {
  if (routes.length === 0) await drive.remove(recordPath);
  else await drive.write(recordPath, JSON.stringify({ routes: routes.map(routeText) }));
}

/** Removes the routes that the steps have made, and their record; one line for each. */
export async function removeNodeRoutes(host: WindowsHost): Promise<string[]> {
  const removed: string[] = [];
  for (const route of await readRouteRecord(host)) {
    if (await host.settings.removeRoute(route)) removed.push(`route to ${route.destination}`);
  }
  await host.applyRoutes();
  await saveRouteRecord(host, []);
  return removed;
}
