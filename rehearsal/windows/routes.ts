/**
 * The machine's IPv4 addresses and routes. A route is active (ActiveStore), restored at boot (PersistentStore), or both.
 * All addresses except the loopback address are on one adapter.
 *
 * Sources: https://learn.microsoft.com/powershell/module/nettcpip (Get-NetIPAddress, Get-, New- and Remove-NetRoute,
 * Set-NetIPInterface).
 */
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { Unsupported } from "../powershell/values.ts";
import type { Route } from "../machine/state.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { object, refuse } from "./objects.ts";

const loopback = 1;

export function routeCmdlets(machine: WindowsMachine): readonly Cmdlet[] {
  const { programs } = machine;
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
  const ofRange = "[-InterfaceIndex <int>] [-DestinationPrefix <string>]";
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
            InterfaceIndex: isLoopback ? loopback : programs.adapterIndex(),
            InterfaceAlias: isLoopback ? "Loopback Pseudo-Interface 1" : name,
          }),
        );
      }
    },
    async [`Get-NetRoute ${ofRange} ${store}`](call) {
      const adapter = programs.adapterIndex();
      const index = call.number("InterfaceIndex") ?? adapter;
      const range = call.text("DestinationPrefix");
      const routes = storesOf(call)
        .flat()
        .filter(({ destination }) => index === adapter && [undefined, destination].includes(range));
      for (const { destination, nextHop } of routes) {
        const ofAdapter = { InterfaceIndex: adapter, ifIndex: adapter };
        await call.emit(object({ DestinationPrefix: destination, NextHop: nextHop, ...ofAdapter }));
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
    async [`Remove-NetRoute [-InterfaceIndex <int>] ${ofRoute} [-Verbose]`](call) {
      const route = routeOf(call);
      const found = storesOf(call).filter((routes) => placeIn(routes, route) >= 0);
      if (found.length === 0) return noMatch(call);
      for (const routes of found) routes.splice(placeIn(routes, route), 1);
      await machine.applyRoutes();
    },
    // Forwarding between adapters, which the model does not remember: Linux forwards nothing here.
    "Set-NetIPInterface -ifIndex <int> -AddressFamily {IPv4} -Forwarding {Enabled | Disabled}"(
      call,
    ) {
      const index = call.number("ifIndex") ?? 0;
      if (![loopback, programs.adapterIndex()].includes(index)) {
        return refuse(
          call,
          "No matching MSFT_NetIPInterface objects found by CIM query.",
          "CmdletizationQuery_NotFound",
        );
      }
      return undefined;
    },
  });
}
