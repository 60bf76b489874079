import type { WindowsHost } from "../../../rehearsal/host/windows-host.ts";
import { machineVariables, texts } from "../../../rehearsal/windows/registry.ts";

type Machine = Pick<WindowsHost, "registry">;

const updatePolicy = "SOFTWARE\\Policies\\Microsoft\\Windows\\WindowsUpdate\\AU";

/** Sets a variable of the machine; services and sessions that are there keep what they have. */
export function setVariable({ registry }: Machine, name: string, value: string): void {
  machineVariables(registry).set(name, value);
}

/** The machine's variables about proxies. */
export function proxyVariables({ registry }: Machine): Record<string, string> {
  const all = [...machineVariables(registry).all()];
  return Object.fromEntries(all.filter(([name]) => name.endsWith("_PROXY")));
}

/** Gives a service variables of its own, read at its next start. */
export function setServiceVariables(
  { registry }: Machine,
  service: string,
  variables: readonly string[],
): void {
  const key = registry.make(`SYSTEM\\CurrentControlSet\\Services\\${service}`);
  key.set("Environment", texts(variables), "MultiString");
}

/** Policy about Windows' automatic updates; undefined: there is none. */
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
