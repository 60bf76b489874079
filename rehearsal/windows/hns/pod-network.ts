import type { Drive } from "../../machine/drive.ts";
import type { SavedState } from "../../machine/state.ts";
import type { HostNetworkingService } from "./service.ts";

/** The range that ovn-kubernetes would have written to the Node's annotation. */
const hybridOverlaySubnet = "10.132.1.0/24";

/** Windows' first VSID, which flannel has as its default. */
const defaultVni = 4096;

/** What the programs that make a pod network need of their machine. */
export interface PodNetworkMachine extends SavedState {
  readonly hns: HostNetworkingService;
  readonly drive: Drive;
}

/**
 * Creates the pod network in HNS, if it does not exist, as flanneld and ovn-kubernetes' hybrid overlay do when they start.
 *
 * Sources: https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md, and there
 * pkg/backend/vxlan/vxlan_windows.go and pkg/backend/hostgw/hostgw_windows.go (the networks' names); ovn-kubernetes,
 * go-controller/hybrid-overlay/pkg/controller/node_windows.go.
 */
export async function makePodNetwork(
  { hns, state, drive }: PodNetworkMachine,
  exe: string,
  args: readonly string[],
): Promise<void> {
  const make = async (Name: string, Type: string, prefix: string, vsid?: number): Promise<void> => {
    if (state.hns.networks.some((network) => network.Name === Name)) return;
    const Policies = vsid === undefined ? [] : [{ Type: "VSID", Settings: { IsolationId: vsid } }];
    const NextHop = prefix.replace(/\d+\/.*$/, "1");
    const Routes = [{ NextHop, DestinationPrefix: "0.0.0.0/0" }];
    const Subnets = [{ IpAddressPrefix: prefix, Policies, Routes }];
    await hns.create("network", { Name, Type, Ipams: [{ Subnets }] });
  };
  if (/\\hybrid-overlay-node\.exe$/i.test(exe)) {
    const name = "OVNKubernetesHybridOverlayNetwork";
    await make(name, "Overlay", hybridOverlaySubnet, defaultVni + 1);
    return;
  }
  const option = args.find((each) => each.startsWith("--net-config-path="));
  if (!/\\flanneld\.exe$/i.test(exe) || option === undefined) return;
  const text = await drive.readText(option.replace(/^.*?=/, ""));
  const { Network, Backend = {} } = JSON.parse(text ?? "{}") as {
    readonly Network?: string;
    readonly Backend?: { readonly Type?: string; readonly VNI?: number };
  };
  if (Network === undefined) return;
  const vni = Backend.VNI ?? defaultVni;
  if (Backend.Type === "host-gw") await make("cbr0", "L2Bridge", Network.replace(/\/.*/, "/24"));
  else await make(`flannel.${vni}`, "Overlay", Network, vni);
}
