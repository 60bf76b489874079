import { existingWindows, type AnyWindows } from "../../config/sections/windows.ts";
import type { WindowsPodNetwork } from "../cni/pod-network.ts";
import { renderSorted } from "../node/node-registration.ts";

/** Proxy of a machine, as in its environment variables. */
export interface MachineProxy {
  /** For http, `http://HOST:PORT`; empty for none. */
  readonly http: string;
  /** For https; empty for none. */
  readonly https: string;
  /** Hosts, domains and ranges that are reached without it, separated by commas. */
  readonly noProxy: string;
}

/** How a machine is prepared: settings that differ between labs, in the form of the steps. */
export interface NodeSetup extends Omit<AnyWindows, "proxy"> {
  /** Pod network that the machine must support. */
  readonly podNetwork: WindowsPodNetwork;
  /** Undefined: there is none, and no step for it. */
  readonly proxy: MachineProxy | undefined;
}

/** Default: no settings, and no pod network. */
export const defaultSetup: NodeSetup = {
  ...existingWindows.parse({}),
  podNetwork: { kind: "none" },
  proxy: undefined,
};

/** Mirrors for Install-Containerd, sorted by registry, so that their order in the settings does not matter. */
export function renderRegistryMirrors(
  mirrors: Readonly<Record<string, readonly string[]>>,
): string {
  const asked = Object.entries(mirrors).filter(([, addresses]) => addresses.length > 0);
  const lists = asked.map(([registry, addresses]) => [registry, addresses.join(",")] as const);
  return renderSorted(Object.fromEntries(lists), ";");
}
