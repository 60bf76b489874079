import type { WindowsHost } from "./windows-host.ts";
import type { WorkingProgram } from "./service-command.ts";

/**
 * What flanneld does to Windows when it starts: it has HNS make the pods' network, where that is not there.
 *
 * Sources: https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md, and there
 * pkg/backend/vxlan/vxlan_windows.go and pkg/backend/hostgw/hostgw_windows.go (the networks' names).
 */
export async function makeFlannelNetwork(
  machine: WindowsHost,
  { exe, args }: WorkingProgram,
): Promise<void> {
  const option = args.find((each) => each.startsWith("--net-config-path="));
  if (!/\\flanneld\.exe$/i.test(exe) || option === undefined) return;
  const text = await machine.drive.readText(option.replace(/^.*?=/, ""));
  const { Network, Backend = {} } = JSON.parse(text ?? "{}") as {
    readonly Network?: string;
    readonly Backend?: { readonly Type?: string; readonly VNI?: number };
  };
  const isBridge = Backend.Type === "host-gw";
  const name = isBridge ? "cbr0" : `flannel.${Backend.VNI ?? 4096}`;
  if (Network === undefined || machine.settings.networks().includes(name)) return;
  const addressPrefix = isBridge ? Network.replace(/\/.*/, "/24") : Network;
  await machine.addHostNetwork(name, { type: isBridge ? "L2Bridge" : "Overlay", addressPrefix });
}
