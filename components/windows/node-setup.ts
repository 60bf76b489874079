import type { WindowsPodNetwork } from "../cni/node-steps.ts";

/** Proxy of a machine, as its environment variables hold it. */
export interface MachineProxy {
  /** For http, `http://HOST:PORT`; empty for none. */
  readonly http: string;
  /** For https; empty for none. */
  readonly https: string;
  /** What is reached without it: hosts, domains, ranges, separated by commas. */
  readonly noProxy: string;
}

/** What differs from lab to lab in how a machine is prepared. */
export interface NodeSetup {
  /** Pod network the machine must be able to carry. */
  readonly podNetwork: WindowsPodNetwork;
  /** Mirrors by registry, each in the order they are asked. */
  readonly registryMirrors: Readonly<Record<string, readonly string[]>>;
  /** Whether Microsoft Defender leaves containerd, kubelet and their folders alone. */
  readonly defenderExclusions: boolean;
  /** Whether Windows may update, and reboot, by itself. */
  readonly automaticUpdates: boolean;
  /** IPv4 addresses of the DNS servers the machine asks, in their order; none: those its adapters have. */
  readonly dnsServers: readonly string[];
  /** Undefined: there is none, and no step about it. */
  readonly proxy: MachineProxy | undefined;
}

/**
 * No pod network, no mirrors, no proxy, no other DNS servers, a Defender that does not slow the node down, and no reboot
 * that nobody ordered.
 */
export const defaultSetup: NodeSetup = {
  podNetwork: { kind: "none" },
  registryMirrors: {},
  defenderExclusions: true,
  automaticUpdates: false,
  dnsServers: [],
  proxy: undefined,
};

/** Mirrors as Install-Containerd takes them, in the order of the registries' names, so that theirs in the settings is free. */
export function renderRegistryMirrors(mirrors: NodeSetup["registryMirrors"]): string {
  return Object.entries(mirrors)
    .filter(([, addresses]) => addresses.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([registry, addresses]) => `${registry}=${addresses.join(",")}`)
    .join(";");
}
