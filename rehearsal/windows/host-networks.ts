/**
 * The Host Networking Service: networks of containers with their endpoints. A network of a kind that takes the machine's
 * adapter puts a switch on it, which cuts the machine off for some seconds; taking one away does so too on Windows, and
 * not here.
 *
 * Sources: https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/hns.psm1 (what HNSCall takes and returns, and
 * the objects of Get-HnsNetwork and Get-HnsEndpoint),
 * https://learn.microsoft.com/virtualization/windowscontainers/container-networking/architecture.
 */
import { createHash } from "node:crypto";
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import { toText } from "../../powershell/convert.ts";
import * as is from "../../powershell/types.ts";
import type { Reference, Types } from "../../powershell/types.ts";
import {
  CustomObject,
  type NetObject,
  type NetType,
  Unsupported,
} from "../../powershell/values.ts";
import type { HostNetwork } from "../host/state.ts";
import type { WindowsHost } from "../host/windows-host.ts";

/** Commands that come with the feature Containers: without it a script may name them, and finds none. */
export const hostNetworkCommands = [
  ...["Get-HnsNetwork", "Get-HnsEndpoint", "Get-HnsPolicyList"],
  ...["Remove-HnsNetwork", "Remove-HnsEndpoint"],
];

/** The same for the same names, as HNS' own are for as long as a network is there. */
function idOf(...names: string[]): string {
  const hex = createHash("sha256").update(names.join("\\")).digest("hex").toUpperCase();
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Where there is none, an answer without Output is one $null by hns.psm1. */
function list(name: string, objects: () => readonly CustomObject[]): Cmdlet {
  return {
    name,
    parameters: {},
    async run(call) {
      const found = objects();
      for (const each of found.length > 0 ? found : [null]) await call.emit(each);
    },
  };
}

export function hostNetworkCmdlets(machine: WindowsHost): readonly Cmdlet[] {
  const { settings } = machine;
  if (settings.featureState("Containers") !== "Installed") {
    return [];
  }
  const inputId = (call: Call): string => {
    const input = call.get("InputObject");
    return input instanceof CustomObject ? toText(input.get("ID") ?? null) : "";
  };
  const parameters = {
    InputObject: { type: "object", mandatory: true, pipeline: "value", position: 0 },
  } as const;
  return [
    list("Get-HnsNetwork", () =>
      settings.networks().map((name) => {
        const { type, addressPrefix } = settings.network(name) as HostNetwork;
        const subnet = new CustomObject(is.customObject).set("AddressPrefix", addressPrefix);
        return new CustomObject(is.customObject)
          .set("ID", idOf(name))
          .set("Name", name)
          .set("Type", type)
          .set("ManagementIP", machine.managementAddress)
          .set("Subnets", is.array([subnet]));
      }),
    ),
    list("Get-HnsEndpoint", () =>
      settings
        .networks()
        .flatMap((network) =>
          (settings.network(network)?.endpoints ?? []).map((name) =>
            new CustomObject(is.customObject)
              .set("ID", idOf(network, name))
              .set("Name", name)
              .set("VirtualNetwork", idOf(network))
              .set("VirtualNetworkName", network),
          ),
        ),
    ),
    // Load balancers of Services, which kube-proxy makes: there is none here.
    list("Get-HnsPolicyList", () => []),
    {
      name: "Remove-HnsNetwork",
      parameters,
      async run(call) {
        const name = settings.networks().find((each) => idOf(each) === inputId(call));
        if (name !== undefined) {
          await settings.removeNetwork(name);
        }
      },
    },
    {
      name: "Remove-HnsEndpoint",
      parameters,
      async run(call) {
        for (const name of settings.networks()) {
          const network = settings.network(name) as HostNetwork;
          const others = network.endpoints.filter((each) => idOf(name, each) !== inputId(call));
          if (others.length < network.endpoints.length) {
            await settings.addNetwork(name, others, network);
          }
        }
      },
    },
  ];
}

/** A type with the one function of Windows' libraries that is modelled: HNSCall of vmcompute.dll. */
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
        _: null,
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

/** HNS' answer to a request. */
async function answer(machine: WindowsHost, what: string, request: string): Promise<string> {
  if (what !== "POST /networks") {
    throw new Unsupported(`asking HNS for ${what}`);
  }
  const wanted = JSON.parse(request) as {
    readonly Name: string;
    readonly Type: string;
    readonly Subnets: readonly {
      readonly AddressPrefix: string;
      readonly Policies?: readonly { readonly Type: string; readonly VSID?: number }[];
    }[];
  };
  if (machine.settings.networks().includes(wanted.Name)) {
    return JSON.stringify({ Success: false, Error: "The network already exists. " });
  }
  // Windows keeps the numbers below for itself.
  const isVsid = ({ Type, VSID = 0 }: { Type: string; VSID?: number }) =>
    Type === "VSID" && VSID >= 4096;
  if (wanted.Type === "Overlay" && !wanted.Subnets[0]?.Policies?.some(isVsid)) {
    return JSON.stringify({ Success: false, Error: "The parameter is incorrect. " });
  }
  const addressPrefix = wanted.Subnets[0]?.AddressPrefix ?? "";
  await machine.addHostNetwork(wanted.Name, { type: wanted.Type, addressPrefix });
  return JSON.stringify({ Success: true, Output: { ID: idOf(wanted.Name), Name: wanted.Name } });
}
