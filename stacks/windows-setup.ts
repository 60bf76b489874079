import type { MachineProxy, NodeSetup } from "../components/windows/node-setup.ts";
import type { Settings } from "../config/settings.ts";

/** Settings of Windows machines that every topology has. */
type WindowsSettings = Pick<
  Settings["windows"],
  "registryMirrors" | "defenderExclusions" | "automaticUpdates" | "dnsServers" | "proxy"
>;

/** Reached without a proxy in any cluster: the machine itself, and what only the cluster's own DNS knows. */
const neverByProxy = ["localhost", "127.0.0.1", ".svc", ".cluster.local"];

/**
 * How Windows machines are prepared for a cluster.
 *
 * @param own hosts, domains and ranges of the cluster, which are reached without the proxy.
 */
export function windowsSetup(
  windows: WindowsSettings,
  podNetwork: NodeSetup["podNetwork"],
  own: readonly string[],
): NodeSetup {
  const { registryMirrors, defenderExclusions, automaticUpdates, dnsServers } = windows;
  return {
    podNetwork,
    registryMirrors,
    defenderExclusions,
    automaticUpdates,
    dnsServers,
    proxy: machineProxy(windows.proxy, own),
  };
}

/** The machines' proxy; undefined where none is set. */
function machineProxy(
  { http = "", https = "", noProxy }: WindowsSettings["proxy"],
  own: readonly string[],
): MachineProxy | undefined {
  if (http === "" && https === "") {
    return undefined;
  }
  return { http, https, noProxy: [...new Set([...neverByProxy, ...own, ...noProxy])].join(",") };
}
