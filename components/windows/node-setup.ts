import { existingWindows, type AnyWindows } from "../../config/sections/windows.ts";
import { renderSorted } from "../node/node-registration.ts";
import type { CaCertificate } from "../node/ca-certificates.ts";
import type { OwnScript } from "./own-scripts.ts";
import type { WindowsPodNetwork } from "../cni/windows-pod-network.ts";

/** Proxy of a machine, in the form of its environment variables. */
export interface MachineProxy {
  /** Proxy for http, e.g. `http://HOST:PORT`; empty for none. */
  readonly http: string;
  /** Proxy for https; empty for none. */
  readonly https: string;
  /** Hosts, domains and ranges that are reached without the proxy, separated by commas. */
  readonly noProxy: string;
}

/** Settings that differ between labs and affect how the steps prepare a machine. */
export interface NodeSetup extends Omit<AnyWindows, "proxy"> {
  /** Pod network that the machine must support. */
  readonly podNetwork: WindowsPodNetwork;
  /** Undefined: no proxy, so the step Set-MachineProxy is skipped. */
  readonly proxy: MachineProxy | undefined;
  /** Certificates that the machine trusts besides those of Windows. */
  readonly certificates: readonly CaCertificate[];
  /** The user's scripts, in the order in which they run. */
  readonly ownScripts: readonly OwnScript[];
}

/** The default of each setting, and no pod network. */
export const defaultSetup: NodeSetup = {
  ...existingWindows.parse({}),
  podNetwork: { kind: "none" },
  proxy: undefined,
  certificates: [],
  ownScripts: [],
};

/** Renders mirrors for Install-Containerd, sorted by registry so that their order in the settings does not matter. */
export function renderRegistryMirrors(
  mirrors: Readonly<Record<string, readonly string[]>>,
): string {
  const used = Object.entries(mirrors).filter(([, addresses]) => addresses.length > 0);
  const lists = used.map(([registry, addresses]) => [registry, addresses.join(",")] as const);
  return renderSorted(Object.fromEntries(lists), ";");
}
