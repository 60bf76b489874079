/**
 * The machine's IPv4 addresses and routes. A route is active (ActiveStore), restored at boot (PersistentStore), or both.
 * All addresses except the loopback address are on one adapter.
 *
 * Sources: https://learn.microsoft.com/powershell/module/nettcpip (Get-NetIPAddress, Get-, New- and Remove-NetRoute).
 */
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { Unsupported } from "../powershell/values.ts";
import type { Route } from "../machine/state.ts";
import type { WindowsHost } from "../machine/windows-host.ts";
import { object, refuse } from "./objects.ts";

const loopback = 1;
const adapter = 6;

export function routeCmdlets(machine: WindowsHost): readonly Cmdlet[] {
  const stores: Readonly<Record<string, Route[]>> = {
    ActiveStore: machine.routesInForce,
    PersistentStore: machine.state.routes,
  };
  /** The stores of a call: the named one, or all if it names none. */
  const storesOf = (call: Call): Route[][] => {
    const named = call.text("PolicyStore")?.toLowerCase();
    return Object.entries(stores).flatMap(([name, routes]) =>
      [undefined, name.toLowerCase()].includes(named) ? [routes] : [],
    );
  };
  const routeOf = (call: Call): Route => ({
    destination: call.text("DestinationPrefix") ?? "",
    nextHop: call.text("NextHop") ?? "0.0.0.0",
  });
  const placeIn = (routes: readonly Route[], { destination, nextHop }: Route): number =>
    routes.findIndex((each) => each.destination === destination && each.nextHop === nextHop);
  const noMatch = (call: Call): Promise<void> =>
    refuse(
      call,
      "No matching MSFT_NetRoute objects found by CIM query.",
      "CmdletizationQuery_NotFound",
    );
  const store = `[-PolicyStore {${Object.keys(stores).join(" | ")}}]`;
  const ofRoute = `-DestinationPrefix <string> -NextHop <string> ${store} [-Confirm]`;
  return cmdlets({
    async "Get-NetIPAddress [-AddressFamily {IPv4}]"(call) {
      if (call.text("AddressFamily") === undefined) throw new Unsupported("addresses of IPv6");
      for (const segment of machine.segments()) {
        const [IPAddress = "", length = "32"] = segment.split("/");
        const isLoopback = IPAddress.startsWith("127.");
        // A switch on the adapter takes its addresses over.
        const name = machine.hns.hasSwitch ? "vEthernet (Ethernet)" : "Ethernet";
        await call.emit(
          object({
            IPAddress,
            PrefixLength: Number(length),
            InterfaceIndex: isLoopback ? loopback : adapter,
            InterfaceAlias: isLoopback ? "Loopback Pseudo-Interface 1" : name,
          }),
        );
      }
    },
    async [`Get-NetRoute ${store}`](call) {
      const routes = storesOf(call).flat();
      for (const { destination, nextHop } of routes) {
        await call.emit(
          object({ DestinationPrefix: destination, NextHop: nextHop, InterfaceIndex: adapter }),
        );
      }
      if (routes.length === 0) await noMatch(call);
    },
    async [`New-NetRoute ${ofRoute} -InterfaceIndex <int>`](call) {
      const route = routeOf(call);
      if (storesOf(call).some((routes) => placeIn(routes, route) >= 0)) {
        return refuse(call, "Instance MSFT_NetRoute already exists", "Windows System Error 87");
      }
      for (const routes of storesOf(call)) routes.push(route);
      await machine.applyRoutes();
      await call.emit(object({ DestinationPrefix: route.destination, NextHop: route.nextHop }));
    },
    async [`Remove-NetRoute ${ofRoute}`](call) {
      const route = routeOf(call);
      const found = storesOf(call).filter((routes) => placeIn(routes, route) >= 0);
      if (found.length === 0) return noMatch(call);
      for (const routes of found) routes.splice(placeIn(routes, route), 1);
      await machine.applyRoutes();
    },
  });
}
