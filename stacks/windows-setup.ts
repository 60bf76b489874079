import type { MachineProxy, NodeSetup } from "../components/windows/node-setup.ts";
import type { AnyWindows } from "../config/sections/windows.ts";

/** Reached without a proxy in any cluster: the machine itself, and names in the cluster's DNS. */
const neverByProxy = ["localhost", "127.0.0.1", ".svc", ".cluster.local"];

/**
 * How Windows machines are prepared for a cluster.
 *
 * @param own the cluster's hosts, domains and ranges, which are reached without the proxy.
 */
export function windowsSetup(
  windows: AnyWindows,
  podNetwork: NodeSetup["podNetwork"],
  own: readonly string[],
): NodeSetup {
  return { ...windows, podNetwork, proxy: machineProxy(windows.proxy, own) };
}

/** The machines' proxy, if set. */
function machineProxy(
  { http = "", https = "", noProxy }: AnyWindows["proxy"],
  own: readonly string[],
): MachineProxy | undefined {
  if (http === "" && https === "") {
    return undefined;
  }
  return { http, https, noProxy: [...new Set([...neverByProxy, ...own, ...noProxy])].join(",") };
}
