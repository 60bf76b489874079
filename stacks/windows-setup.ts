import type { MachineProxy, NodeSetup } from "../components/windows/node-setup.ts";
import type { AnyWindows } from "../config/sections/windows.ts";

/** Reached without a proxy in any cluster: the machine itself, and what only the cluster's own DNS knows. */
const neverByProxy = ["localhost", "127.0.0.1", ".svc", ".cluster.local"];

/**
 * How Windows machines are prepared for a cluster.
 *
 * @param own hosts, domains and ranges of the cluster, which are reached without the proxy.
 */
export function windowsSetup(
  windows: AnyWindows,
  podNetwork: NodeSetup["podNetwork"],
  own: readonly string[],
): NodeSetup {
  return { ...windows, podNetwork, proxy: machineProxy(windows.proxy, own) };
}

/** The machines' proxy; undefined where none is set. */
function machineProxy(
  { http = "", https = "", noProxy }: AnyWindows["proxy"],
  own: readonly string[],
): MachineProxy | undefined {
  if (http === "" && https === "") {
    return undefined;
  }
  return { http, https, noProxy: [...new Set([...neverByProxy, ...own, ...noProxy])].join(",") };
}
