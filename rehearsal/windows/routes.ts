/**
 * The machine's IPv4 addresses and routes. A route is in force (ActiveStore), comes back with a boot (PersistentStore), or
 * both. All addresses but the loopback's are on one adapter.
 *
 * Sources: https://learn.microsoft.com/powershell/module/nettcpip (Get-NetIPAddress, Get-, New- and Remove-NetRoute).
 */
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { raised } from "../../powershell/types.ts";
import { CustomObject, Unsupported } from "../../powershell/values.ts";
import { type Route, routeStores } from "../host/routes.ts";
import type { WindowsHost } from "../host/windows-host.ts";

const failure = "Microsoft.PowerShell.Cmdletization.Cim.CimJobException";
const loopback = 1;
const adapter = 6;

export function routeCmdlets(machine: WindowsHost): readonly Cmdlet[] {
  const { settings } = machine;
  /** The stores that a call is about: all, where it names none. */
  const storesOf = (call: Call) => {
    const named = call.text("PolicyStore");
    return named === undefined
      ? routeStores
      : routeStores.filter((store) => store.toLowerCase() === named.toLowerCase());
  };
  const same = (one: Route, other: Route): boolean =>
    one.destination === other.destination && one.nextHop === other.nextHop;
  const routeOf = (call: Call): Route => ({
    destination: call.text("DestinationPrefix") ?? "",
    nextHop: call.text("NextHop") ?? "0.0.0.0",
  });
  const isIn = (store: (typeof routeStores)[number], route: Route): boolean =>
    settings.routesIn(store).some((each) => same(each, route));
  const noMatch = (call: Call) =>
    call.fail(
      raised(
        call.shell.types.get(failure),
        "No matching MSFT_NetRoute objects found by CIM query.",
        {
          id: `CmdletizationQuery_NotFound,${call.name}`,
        },
      ),
    );
  const parameters = {
    DestinationPrefix: { type: "string", mandatory: true },
    NextHop: { type: "string", mandatory: true },
    PolicyStore: { type: "string", set: routeStores },
    Confirm: { type: "switch" },
  } as const;
  return [
    {
      name: "Get-NetIPAddress",
      parameters: { AddressFamily: { type: "string", set: ["IPv4"] } },
      async run(call) {
        if (call.text("AddressFamily") === undefined) {
          throw new Unsupported("addresses of IPv6");
        }
        for (const segment of machine.segments()) {
          const [address = "", length = "32"] = segment.split("/");
          await call.emit(
            new CustomObject(is.customObject)
              .set("IPAddress", address)
              .set("PrefixLength", Number(length))
              .set("InterfaceIndex", address.startsWith("127.") ? loopback : adapter),
          );
        }
      },
    },
    {
      name: "Get-NetRoute",
      parameters: { PolicyStore: parameters.PolicyStore },
      async run(call) {
        const routes = storesOf(call).flatMap((store) => settings.routesIn(store));
        for (const { destination, nextHop } of routes) {
          await call.emit(
            new CustomObject(is.customObject)
              .set("DestinationPrefix", destination)
              .set("NextHop", nextHop)
              .set("InterfaceIndex", adapter),
          );
        }
        if (routes.length === 0) {
          await noMatch(call);
        }
      },
    },
    {
      name: "New-NetRoute",
      parameters: { ...parameters, InterfaceIndex: { type: "int", mandatory: true } },
      async run(call) {
        const route = routeOf(call);
        const stores = storesOf(call);
        if (stores.some((store) => isIn(store, route))) {
          const id = `Windows System Error 87,${call.name}`;
          await call.fail(
            raised(call.shell.types.get(failure), "Instance MSFT_NetRoute already exists", { id }),
          );
          return;
        }
        await settings.addRoute(route, stores);
        await machine.applyRoutes();
        await call.emit(
          new CustomObject(is.customObject)
            .set("DestinationPrefix", route.destination)
            .set("NextHop", route.nextHop),
        );
      },
    },
    {
      name: "Remove-NetRoute",
      parameters,
      async run(call) {
        const route = routeOf(call);
        if (await settings.removeRoute(route, storesOf(call))) {
          await machine.applyRoutes();
        } else {
          await noMatch(call);
        }
      },
    },
  ];
}
