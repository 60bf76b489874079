/**
 * Rules of Windows' firewall. They are kept and shown; nothing is kept out.
 *
 * Sources: https://learn.microsoft.com/powershell/module/netsecurity (Get-, New- and Remove-NetFirewallRule).
 */
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { CustomObject, Unsupported } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

const failure = "Microsoft.PowerShell.Cmdletization.Cim.CimJobException";

export function firewallCmdlets({ settings }: WindowsHost): readonly Cmdlet[] {
  const text = { type: "string" };
  const one = { Name: { ...text, mandatory: true } };
  const notFound = (call: Call): Promise<void> => {
    const message = `No MSFT_NetFirewallRule objects found with property 'InstanceID' equal to '${call.text("Name") ?? ""}'.  Verify the value of the property and retry.`;
    const id = "CmdletizationQuery_NotFound_InstanceID";
    return call.fail(is.raised(call.shell.types.get(failure), message, { id }));
  };
  return [
    {
      name: "Get-NetFirewallRule",
      implementation: "Get-NetFirewallRule",
      parameters: one,
      async run(call) {
        const name = call.text("Name") ?? "";
        const rule = settings.firewallRule(name);
        if (!rule) return notFound(call);
        await call.emit(
          new CustomObject(is.customObject).set("Name", name).set("DisplayName", rule.displayName),
        );
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
      async run(call) {
        const [name, port] = [call.text("Name"), call.number("LocalPort")];
        if (name === undefined || port === undefined) {
          throw new Unsupported("a firewall rule without a name or a port");
        }
        if (settings.firewallRule(name)) {
          const message = "Cannot create a file when that file already exists. ";
          const id = "Windows System Error 183";
          await call.fail(is.raised(call.shell.types.get(failure), message, { id }));
          return;
        }
        const displayName = call.text("DisplayName") ?? "";
        const protocol = call.text("Protocol")?.toUpperCase() === "UDP" ? "UDP" : "TCP";
        await settings.setFirewallRule(name, { displayName, protocol, port });
        await call.emit(
          new CustomObject(is.customObject).set("Name", name).set("DisplayName", displayName),
        );
      },
    },
    {
      name: "Remove-NetFirewallRule",
      implementation: "Remove-NetFirewallRule",
      parameters: one,
      async run(call) {
        if (!(await settings.removeFirewallRule(call.text("Name") ?? ""))) await notFound(call);
      },
    },
  ];
}
