/**
 * Rules of Windows' firewall. They are only stored: nothing is blocked.
 *
 * Sources: https://learn.microsoft.com/powershell/module/netsecurity (Get-, New- and Remove-NetFirewallRule).
 */
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { Unsupported } from "../powershell/values.ts";
import type { WindowsHost } from "../machine/windows-host.ts";
import { object, refuse } from "./objects.ts";

export function firewallCmdlets({ state: { firewallRules } }: WindowsHost): readonly Cmdlet[] {
  const nameOf = (call: Call): string => call.text("Name") ?? "";
  const notFound = (call: Call): Promise<void> => {
    const message = `No MSFT_NetFirewallRule objects found with property 'InstanceID' equal to '${nameOf(call)}'.  Verify the value of the property and retry.`;
    return refuse(call, message, "CmdletizationQuery_NotFound_InstanceID");
  };
  const rule =
    "[-Name <string>] -DisplayName <string> [-Description <string>] [-Enabled {True}] [-Direction {Inbound}] " +
    "[-Protocol {TCP | UDP}] [-LocalPort <int>] [-Profile {Any}] [-Action {Allow}]";
  return cmdlets({
    "Get-NetFirewallRule -Name <string>"(call) {
      const rule = firewallRules[nameOf(call)];
      if (!rule) return notFound(call);
      return call.emit(object({ Name: nameOf(call), DisplayName: rule.displayName }));
    },
    [`New-NetFirewallRule ${rule}`](call) {
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
    "Remove-NetFirewallRule [-Name <string>] [-DisplayName <string>]"(call) {
      const shown = call.text("DisplayName");
      if (shown !== undefined) {
        const of = Object.entries(firewallRules).filter(([, rule]) => rule.displayName === shown);
        for (const [name] of of) delete firewallRules[name];
        return of.length > 0 ? undefined : notFound(call);
      }
      if (!firewallRules[nameOf(call)]) return notFound(call);
      delete firewallRules[nameOf(call)];
    },
  });
}
