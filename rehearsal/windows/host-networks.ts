/**
 * HNS for scripts: the cmdlets of Windows' module HostNetworkingService, and HNSCall of vmcompute.dll, with which
 * Microsoft's hns.psm1 does the same.
 *
 * Sources: https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/hns.psm1 (what HNSCall takes and returns, and
 * the objects of Get-HnsNetwork and Get-HnsEndpoint),
 * https://learn.microsoft.com/virtualization/windowscontainers/container-networking/architecture.
 */
import { readJson } from "../powershell/cmdlets/json.ts";
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { toItems, toText } from "../powershell/convert.ts";
import type { Reference, Types } from "../powershell/types.ts";
import {
  CustomObject,
  Hashtable,
  type NetObject,
  type NetType,
  nothing,
  PsArray,
  Unsupported,
} from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { HnsError } from "./hns/errors.ts";
import { answerCall } from "./hns/version-1.ts";
import { refuse } from "./objects.ts";

/** Commands of the feature Containers. Scripts may contain them even if it is not installed and they do not exist. */
export const hostNetworkCommands = [
  ...["Get-HnsNetwork", "Get-HnsEndpoint", "Get-HnsPolicyList", "New-HnsNetwork"],
  ...["Remove-HnsNetwork", "Remove-HnsEndpoint", "Remove-HnsPolicyList"],
];

/** Whether a module is Windows' own one with these commands, or Microsoft's hns.psm1, which has the same. */
export function isHostNetworkModule({ state }: WindowsMachine, name: string): boolean {
  if (state.features.Containers !== "Installed") return false;
  return /^HostNetworkingService$|(^|[\\/])hns\.psm1$/i.test(name);
}

export function hostNetworkCmdlets({ hns, state }: WindowsMachine): readonly Cmdlet[] {
  if (state.features.Containers !== "Installed") return [];
  /** Outputs $null if there are no objects, because hns.psm1 returns an answer without Output as $null. */
  const listed = (path: string) => async (call: Call) => {
    const found = readJson(JSON.stringify(await answerCall(hns, "GET", path, "")));
    const objects = found instanceof PsArray ? found.items : [found];
    for (const each of objects.length > 0 ? objects : [null]) await call.emit(each);
  };
  const removed = (path: string) => async (call: Call) => {
    const input = call.get("InputObject");
    const id = input instanceof CustomObject ? toText(input.get("ID") ?? null) : "";
    await answered(call, () => answerCall(hns, "DELETE", `${path}/${id}`, ""));
  };
  /** What HNS answers. What it refuses is the cmdlet's error. */
  const answered = async (call: Call, ask: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof HnsError)) throw error;
      const type = "System.Management.Automation.RuntimeException";
      await refuse(call, error.message, error.reason, type);
      return undefined;
    }
  };
  return cmdlets({
    "Get-HnsNetwork": listed("/networks"),
    "Get-HnsEndpoint": listed("/endpoints"),
    "Get-HnsPolicyList": listed("/policylists"),
    async "New-HnsNetwork -Type <string> -Name <string> -AddressPrefix <string> -Gateway <string> [-SubnetPolicies <hashtable[]>] [-AdapterName <string>] [-Verbose]"(
      call,
    ) {
      const policies = toItems(call.get("SubnetPolicies") ?? nothing).map((table) =>
        table instanceof Hashtable
          ? Object.fromEntries(table.entries().map(({ key, value }) => [toText(key), value]))
          : {},
      );
      const [AddressPrefix, GatewayAddress] = [call.text("AddressPrefix"), call.text("Gateway")];
      const adapter = call.text("AdapterName") ?? "";
      const wanted = {
        ...{ Type: call.text("Type"), Name: call.text("Name") },
        Subnets: [{ AddressPrefix, GatewayAddress, Policies: policies }],
        ...(adapter !== "" && { NetworkAdapterName: adapter }),
      };
      const made = await answered(call, () =>
        answerCall(hns, "POST", "/networks", JSON.stringify(wanted)),
      );
      if (made !== undefined) await call.emit(readJson(JSON.stringify(made)));
    },
    "Remove-HnsNetwork [-InputObject] <object>": removed("/networks"),
    "Remove-HnsEndpoint [-InputObject] <object>": removed("/endpoints"),
    "Remove-HnsPolicyList [-InputObject] <object>": removed("/policylists"),
  });
}

/** Defines a type with HNSCall of vmcompute.dll, the only Windows library function that is modelled for scripts. */
export function hostNetworkType(
  types: Types,
  { hns }: WindowsMachine,
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
        try {
          const Output = await answerCall(hns, method, path, request);
          response.state.set(JSON.stringify({ Success: true, Output }));
        } catch (error) {
          if (!(error instanceof HnsError)) throw error;
          if (error.reason === "HCN_E_REQUEST_UNSUPPORTED") {
            throw new Unsupported(`asking HNS for ${method} ${path}`);
          }
          response.state.set(error.record);
        }
      },
    },
  });
}
