/**
 * Rules of Windows' firewall. They are kept and shown; nothing is kept out.
 *
 * Sources: https://learn.microsoft.com/powershell/module/netsecurity (Get-, New- and Remove-NetFirewallRule).
 */
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import { Unsupported } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";
import { object, refuse } from "./objects.ts";

export function firewallCmdlets({ state: { firewallRules } }: WindowsHost): readonly Cmdlet[] {
  const text = { type: "string" };
  const one = { Name: { ...text, mandatory: true } };
  const nameOf = (call: Call): string => call.text("Name") ?? "";
  const notFound = (call: Call): Promise<void> => {
    const message = `No MSFT_NetFirewallRule objects found with property 'InstanceID' equal to '${nameOf(call)}'.  Verify the value of the property and retry.`;
    return refuse(call, message, "CmdletizationQuery_NotFound_InstanceID");
  };
  return [
    {
      name: "Get-NetFirewallRule",
      implementation: "Get-NetFirewallRule",
      parameters: one,
      run(call) {
        const rule = firewallRules[nameOf(call)];
        if (!rule) return notFound(call);
        return call.emit(object({ Name: nameOf(call), DisplayName: rule.displayName }));
      },
    },
    {
      name: "New-NetFirewallRule",
      implementation: "New-NetFirewallRule",
      parameters: {
        Name: text,
        DisplayName: { ...text, mandatory: true },
        Enabled: { ...text, set: ["True"] },
        Direction: { ...text, set: ["Inbound"] },
        Protocol: { ...text, set: ["TCP", "UDP"] },
        LocalPort: { type: "int" },
        Profile: { ...text, set: ["Any"] },
        Action: { ...text, set: ["Allow"] },
      },
      run(call) {
        const [name, port] = [call.text("Name"), call.number("LocalPort")];
        if (name === undefined || port === undefined) {
          throw new Unsupported("a firewall rule without a name or a port");
        }
        if (firewallRules[name]) {
          const message = "Cannot create a file when that file already exists. ";
          return refuse(call, message, "Windows System Error 183");
        }
        const displayName = call.text("DisplayName") ?? "";
        const protocol = call.text("Protocol")?.toUpperCase() === "UDP" ? "UDP" : "TCP";
        firewallRules[name] = { displayName, protocol, port };
        return call.emit(object({ Name: name, DisplayName: displayName }));
      },
    },
    {
      name: "Remove-NetFirewallRule",
      implementation: "Remove-NetFirewallRule",
      parameters: one,
      run(call) {
        if (!firewallRules[nameOf(call)]) return notFound(call);
        delete firewallRules[nameOf(call)];
      },
    },
  ];
}
