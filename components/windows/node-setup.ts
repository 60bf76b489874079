import { existingWindows, type AnyWindows } from "../../config/sections/windows.ts";
import type { WindowsPodNetwork } from "../cni/pod-network.ts";

/** Proxy of a machine, as its environment variables hold it. */
export interface MachineProxy {
  /** For http, `http://HOST:PORT`; empty for none. */
  readonly http: string;
  /** For https; empty for none. */
  readonly https: string;
  /** What is reached without it: hosts, domains, ranges, separated by commas. */
  readonly noProxy: string;
}

/** What differs from lab to lab in how a machine is prepared: what is written of it, made ready for the steps. */
export interface NodeSetup extends Omit<AnyWindows, "proxy"> {
  /** Pod network the machine must be able to carry. */
  readonly podNetwork: WindowsPodNetwork;
  /** Undefined: there is none, and no step about it. */
  readonly proxy: MachineProxy | undefined;
}

/** Nothing is written, and there is no pod network. */
export const defaultSetup: NodeSetup = {
  ...existingWindows.parse({}),
  podNetwork: { kind: "none" },
  proxy: undefined,
};

/** Mirrors as Install-Containerd takes them, in the order of the registries' names, so that theirs in the settings is free. */
export function renderRegistryMirrors(
  mirrors: Readonly<Record<string, readonly string[]>>,
): string {
  return Object.entries(mirrors)
    .filter(([, addresses]) => addresses.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([registry, addresses]) => `${registry}=${addresses.join(",")}`)
    .join(";");
}
