/**
 * Rules of Windows' firewall.
 *
 * Source: https://learn.microsoft.com/powershell/module/netsecurity (Get- and Remove-NetFirewallRule).
 */
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { raised } from "../../powershell/types.ts";
import { CustomObject } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

export function firewallCmdlets({ settings }: WindowsHost): readonly Cmdlet[] {
  const parameters = { Name: { type: "string", mandatory: true } } as const;
  const missing = (call: Call) => {
    const message = `No MSFT_NetFirewallRule objects found with property 'InstanceID' equal to '${call.text("Name") ?? ""}'.`;
    const id = `CmdletizationQuery_NotFound_InstanceID,${call.name}`;
    return call.fail(raised("System.Exception", message, { id }));
  };
  return [
    {
      name: "Get-NetFirewallRule",
      parameters,
      async run(call) {
        const name = call.text("Name") ?? "";
        const rule = settings.firewallRules[name];
        if (!rule) {
          await missing(call);
          return;
        }
        const found = new CustomObject(is.customObject).set("Name", name);
        await call.emit(found.set("DisplayName", rule.displayName).set("Enabled", "True"));
      },
    },
    {
      name: "Remove-NetFirewallRule",
      parameters,
      async run(call) {
        if (!(await settings.removeFirewallRule(call.text("Name") ?? ""))) {
          await missing(call);
        }
      },
    },
  ];
}
