import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { RehearsedMachine } from "../../../rehearsed-machine/in-process.ts";
import type { WindowsMachine } from "../../../../rehearsal/machine/windows-machine.ts";
import type { Route } from "../../../../rehearsal/machine/state.ts";
import { endpointSchema, networkSchema } from "../../../../rehearsal/windows/hns/objects.ts";
import { strings } from "../../../../rehearsal/windows/objects.ts";
import { machineVariables, type RegistryJson } from "../../../../rehearsal/windows/registry.ts";

/** A machine's files, by content, and Windows' settings, without the feature, scripts and media. */
export async function listing(
  machine: Pick<RehearsedMachine, "driveC" | "programs" | "windows">,
): Promise<Record<string, string>> {
  await machine.windows.save();
  const found: Record<string, string> = {};
  // Hundreds of machines are listed, and each of their files costs much less so than by promises.
  const below = (folder: string): void => {
    for (const entry of readdirSync(join(machine.driveC, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (["/kindows/steps", "/kindows/media", "/rehearsal"].includes(path)) continue;
      if (entry.isDirectory()) {
        found[`${path}/`] = "";
        below(path);
      } else {
        const text = readFileSync(join(machine.driveC, path), "utf8");
        // A checked program's record ends with the time of its last change, which differs between machines.
        found[path] = path.endsWith(".checked") ? text.replace(/ \d+$/, "") : text;
      }
    }
  };
  below("");
  const state = JSON.parse(
    readFileSync(join(machine.driveC, "rehearsal/state.json"), "utf8"),
  ) as Record<string, unknown>;
  const passing = ["bootTime", "features", "faultsPlayed", "registry"];
  for (const [key, value] of Object.entries(state)) {
    if (!passing.includes(key)) found[key] = withoutIds(JSON.stringify(value));
  }
  // Keys without values do not count.
  for (const [key, values] of Object.entries(state["registry"] as RegistryJson)) {
    for (const [name, { data }] of Object.entries(values)) {
      found[`HKLM\\${key}\\${name}`] = JSON.stringify(data);
    }
  }
  for (const name of ["kubelet", "containerd"]) {
    found[`running ${name}`] = String(await machine.programs.isServiceRunning(name));
  }
  return found;
}

/** A text without what differs between machines: ids and hardware addresses that Windows has chosen. */
function withoutIds(text: string): string {
  return text.replace(
    /\b[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}\b|\b00-15-5D(-[\dA-F]{2}){3}\b/gi,
    "*",
  );
}

type Machine = Pick<WindowsMachine, "registry">;

const updatePolicy = "SOFTWARE\\Policies\\Microsoft\\Windows\\WindowsUpdate\\AU";

/** Sets a machine-wide variable; running services and sessions keep theirs. */
export function setVariable({ registry }: Machine, name: string, value: string): void {
  machineVariables(registry).set(name, value);
}

export function proxyVariables({ registry }: Machine): Record<string, string> {
  const all = [...machineVariables(registry).all()];
  return Object.fromEntries(all.filter(([name]) => name.endsWith("_PROXY")));
}

/** Sets a service's own variables, which it reads at its next start. */
export function setServiceVariables(
  { registry }: Machine,
  service: string,
  variables: readonly string[],
): void {
  const key = registry.make(`SYSTEM\\CurrentControlSet\\Services\\${service}`);
  key.set("Environment", strings(variables), "MultiString");
}

/** Policy about Windows' automatic updates; undefined if there is none. */
export function noAutoUpdate({ registry }: Machine): unknown {
  return registry.find(updatePolicy)?.get("NoAutoUpdate");
}

export function setNoAutoUpdate({ registry }: Machine, value: number): void {
  registry.make(updatePolicy).set("NoAutoUpdate", value, "DWord");
}

/** Boot that Calico's networks belong to; undefined before the first. */
export function calicoBootTime({ registry }: Machine): unknown {
  return registry.find("SOFTWARE\\Tigera\\Calico")?.get("LastBootTime");
}

export function addRoute({ routesInForce, state }: WindowsMachine, route: Route): void {
  routesInForce.push(route);
  state.routes.push(route);
}

/** A route as the steps write it, `destination=next hop`. */
export function routeText({ destination, nextHop }: Route): string {
  return `${destination}=${nextHop}`;
}

/** Names of HNS' networks. */
export function networkNames({ state }: Pick<WindowsMachine, "state">): string[] {
  return state.hns.networks.map(({ Name }) => Name);
}

/** A network in HNS that the machine has had for long: its switch is there. */
export function addNetwork(
  { state }: WindowsMachine,
  name: string,
  endpoints: string[] = [],
): void {
  const ID = randomUUID();
  const subnet = { IpAddressPrefix: "192.168.255.0/30" };
  const settings = { ID, Name: name, Type: "Overlay", Ipams: [{ Subnets: [subnet] }] };
  state.hns.networks.push(networkSchema.parse(settings));
  for (const endpoint of endpoints) {
    const id = randomUUID();
    const ofNetwork = { ID: id, Name: endpoint, HostComputeNetwork: ID };
    state.hns.endpoints.push(endpointSchema.parse(ofNetwork));
  }
}
