/**
 * The Host Networking Service: container networks and their endpoints. A network on the machine's adapter puts a switch on
 * it, which cuts the machine off for some seconds. On Windows, removing the network does so too; that is not modelled.
 *
 * Sources: https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/hns.psm1 (what HNSCall takes and returns, and
 * the objects of Get-HnsNetwork and Get-HnsEndpoint),
 * https://learn.microsoft.com/virtualization/windowscontainers/container-networking/architecture.
 */
import { createHash } from "node:crypto";
import { cmdlets, type Call, type Cmdlet } from "../../powershell/commands.ts";
import { toText } from "../../powershell/convert.ts";
import * as is from "../../powershell/types.ts";
import type { Reference, Types } from "../../powershell/types.ts";
import {
  CustomObject,
  type NetObject,
  type NetType,
  Unsupported,
} from "../../powershell/values.ts";
import type { WorkingProgram } from "../host/service-manager.ts";
import type { WindowsHost } from "../host/windows-host.ts";
import { object } from "./objects.ts";

/** Commands of the feature Containers. Scripts may contain them even if it is not installed and they do not exist. */
export const hostNetworkCommands = [
  ...["Get-HnsNetwork", "Get-HnsEndpoint", "Get-HnsPolicyList"],
  ...["Remove-HnsNetwork", "Remove-HnsEndpoint"],
];

/** An id that is derived from names, so that it stays the same, as HNS' ids do as long as a network exists. */
function idOf(...names: string[]): string {
  const hex = createHash("sha256").update(names.join("\\")).digest("hex").toUpperCase();
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Outputs $null if there are no objects, because hns.psm1 returns an answer without Output as $null. */
const listed = (objects: () => readonly CustomObject[]) => async (call: Call) => {
  const found = objects();
  for (const each of found.length > 0 ? found : [null]) await call.emit(each);
};

export function hostNetworkCmdlets(machine: WindowsHost): readonly Cmdlet[] {
  const { networks, features } = machine.state;
  if (features.Containers !== "Installed") return [];
  const inputId = (call: Call): string => {
    const input = call.get("InputObject");
    return input instanceof CustomObject ? toText(input.get("ID") ?? null) : "";
  };
  return cmdlets({
    "Get-HnsNetwork": listed(() =>
      Object.entries(networks).map(([name, { type, addressPrefix }]) =>
        object({
          ID: idOf(name),
          Name: name,
          Type: type,
          ManagementIP: machine.managementAddress,
          Subnets: is.array([object({ AddressPrefix: addressPrefix })]),
        }),
      ),
    ),
    "Get-HnsEndpoint": listed(() =>
      Object.entries(networks).flatMap(([network, { endpoints }]) =>
        endpoints.map((name) =>
          object({
            ID: idOf(network, name),
            Name: name,
            VirtualNetwork: idOf(network),
            VirtualNetworkName: network,
          }),
        ),
      ),
    ),
    // Load balancers of Services, which kube-proxy creates, are not modelled.
    "Get-HnsPolicyList": listed(() => []),
    "Remove-HnsNetwork [-InputObject] <object>"(call) {
      const name = Object.keys(networks).find((each) => idOf(each) === inputId(call));
      if (name !== undefined) delete networks[name];
    },
    "Remove-HnsEndpoint [-InputObject] <object>"(call) {
      for (const [name, network] of Object.entries(networks)) {
        network.endpoints = network.endpoints.filter((each) => idOf(name, each) !== inputId(call));
      }
    },
  });
}

/** Defines a type with HNSCall of vmcompute.dll, the only Windows library function that is modelled. */
export function hostNetworkType(
  types: Types,
  machine: WindowsHost,
  changing: (what: string) => Promise<void>,
  name: string,
): NetType {
  return types.define({
    name,
    staticMethods: {
      "HNSCall(string, string, string, ref)": async (
        method: string,
        path: string,
        request: string,
        response: NetObject<Reference>,
      ) => {
        await changing(`${method} ${path} of HNS`);
        response.state.set(await answer(machine, `${method} ${path}`, request));
      },
    },
  });
}

async function answer(machine: WindowsHost, what: string, request: string): Promise<string> {
  if (what !== "POST /networks") throw new Unsupported(`asking HNS for ${what}`);
  const wanted = JSON.parse(request) as {
    readonly Name: string;
    readonly Type: string;
    readonly Subnets: readonly {
      readonly AddressPrefix: string;
      readonly Policies?: readonly { readonly Type: string; readonly VSID?: number }[];
    }[];
  };
  if (wanted.Name in machine.state.networks) {
    return JSON.stringify({ Success: false, Error: "The network already exists. " });
  }
  // Windows reserves VSIDs below 4096.
  const isVsid = ({ Type, VSID = 0 }: { Type: string; VSID?: number }) =>
    Type === "VSID" && VSID >= 4096;
  if (wanted.Type === "Overlay" && !wanted.Subnets[0]?.Policies?.some(isVsid)) {
    return JSON.stringify({ Success: false, Error: "The parameter is incorrect. " });
  }
  const addressPrefix = wanted.Subnets[0]?.AddressPrefix ?? "";
  await machine.addHostNetwork(wanted.Name, { type: wanted.Type, addressPrefix });
  return JSON.stringify({ Success: true, Output: { ID: idOf(wanted.Name), Name: wanted.Name } });
}

/** The range that ovn-kubernetes would have written to the Node's annotation. */
const hybridOverlaySubnet = "10.132.1.0/24";

/**
 * Creates the pod network in HNS, if it does not exist, as flanneld and ovn-kubernetes' hybrid overlay do when they start.
 *
 * Sources: https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md, and there
 * pkg/backend/vxlan/vxlan_windows.go and pkg/backend/hostgw/hostgw_windows.go (the networks' names); ovn-kubernetes,
 * go-controller/hybrid-overlay/pkg/controller/node_windows.go.
 */
export async function makePodNetwork(
  machine: WindowsHost,
  { exe, args }: WorkingProgram,
): Promise<void> {
  const make = async (name: string, type: string, addressPrefix: string): Promise<void> => {
    if (!(name in machine.state.networks)) {
      await machine.addHostNetwork(name, { type, addressPrefix });
    }
  };
  if (/\\hybrid-overlay-node\.exe$/i.test(exe)) {
    await make("OVNKubernetesHybridOverlayNetwork", "Overlay", hybridOverlaySubnet);
    return;
  }
  const option = args.find((each) => each.startsWith("--net-config-path="));
  if (!/\\flanneld\.exe$/i.test(exe) || option === undefined) return;
  const text = await machine.drive.readText(option.replace(/^.*?=/, ""));
  const { Network, Backend = {} } = JSON.parse(text ?? "{}") as {
    readonly Network?: string;
    readonly Backend?: { readonly Type?: string; readonly VNI?: number };
  };
  if (Network === undefined) return;
  if (Backend.Type === "host-gw") await make("cbr0", "L2Bridge", Network.replace(/\/.*/, "/24"));
  else await make(`flannel.${Backend.VNI ?? 4096}`, "Overlay", Network);
}
