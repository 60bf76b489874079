/**
 * Windows' firewall, which lets nothing in but by its rules; each here opens one port of the machine in every profile. Packets
 * to pods, NodePorts among them, do not meet it: the switch passes them on first.
 *
 * Sources: https://learn.microsoft.com/powershell/module/netsecurity (Get-, New- and Remove-NetFirewallRule);
 * https://learn.microsoft.com/windows-server/administration/windows-commands/netsh-advfirewall
 */
import { randomUUID } from "node:crypto";
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { Unsupported } from "../powershell/values.ts";
import type { LinuxPiece } from "../machine/programs.ts";
import type { FirewallRules, SavedState } from "../machine/state.ts";
import { nftTable } from "./nft-table.ts";
import { object, refuse } from "./objects.ts";

/** What the firewall needs of its machine. */
interface FirewalledMachine extends SavedState {
  followNetwork(): Promise<void>;
}

/** What the firewall is on Linux. */
export function linuxFirewall(rules: FirewallRules): LinuxPiece {
  const accepted = [
    ...["iif lo", "ct state established,related"],
    ...Object.values(rules).map(({ protocol, port }) => `${protocol.toLowerCase()} dport ${port}`),
  ];
  return nftTable("firewall", "firewall", [
    "add chain ip firewall inbound { type filter hook input priority 0; policy drop; }",
    ...accepted.map((each) => `add rule ip firewall inbound ${each} accept`),
  ]);
}

export function firewallCmdlets(machine: FirewalledMachine): readonly Cmdlet[] {
  const { firewallRules } = machine.state;
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
    async [`New-NetFirewallRule ${rule}`](call) {
      const [name, port] = [call.text("Name"), call.number("LocalPort")];
      if (name === undefined || port === undefined) {
        throw new Unsupported("a firewall rule without a name or a port");
      }
      if (firewallRules[name]) {
        const message = "Cannot create a file when that file already exists. ";
        return refuse(call, message, "Windows System Error 183");
      }
      const displayName = call.text("DisplayName") ?? "";
      await addRule(machine, name, displayName, call.text("Protocol"), port);
      return call.emit(object({ Name: name, DisplayName: displayName }));
    },
    async "Remove-NetFirewallRule [-Name <string>] [-DisplayName <string>]"(call) {
      const shown = call.text("DisplayName");
      const wereThere = await removeRules(machine, (rule, name) =>
        shown === undefined ? name === nameOf(call) : rule.displayName === shown,
      );
      if (!wereThere) return notFound(call);
    },
  });
}

async function addRule(
  machine: FirewalledMachine,
  name: string,
  displayName: string,
  protocol: string | undefined,
  port: number,
): Promise<void> {
  machine.state.firewallRules[name] = {
    displayName,
    protocol: protocol?.toUpperCase() === "UDP" ? "UDP" : "TCP",
    port,
  };
  await machine.followNetwork();
}

/** @returns whether there were any. */
async function removeRules(
  machine: FirewalledMachine,
  isOne: (rule: FirewallRules[string], name: string) => boolean,
): Promise<boolean> {
  const { firewallRules } = machine.state;
  const gone = Object.entries(firewallRules).filter(([name, rule]) => isOne(rule, name));
  if (gone.length === 0) return false;
  for (const [name] of gone) delete firewallRules[name];
  await machine.followNetwork();
  return true;
}

interface NetshResult {
  readonly exitCode: 0 | 1;
  readonly output: string;
}

const netshRule =
  /^advfirewall firewall (?:add rule name=(\S+) dir=in action=allow protocol=(TCP|UDP) localport=(\d+)|delete rule name=(\S+))$/i;

/**
 * `netsh advfirewall firewall`, by which containers open a port and close it. Its name is the rule's display name, which several
 * rules may have.
 *
 * @throws Unsupported for everything else.
 */
export async function netsh(
  machine: FirewalledMachine,
  args: readonly string[],
): Promise<NetshResult> {
  const command = netshRule.exec(args.join(" "));
  if (command === null) throw new Unsupported(`netsh ${args.join(" ")}`);
  const [, added, protocol, port, deleted] = command;
  if (added !== undefined) {
    await addRule(machine, `{${randomUUID().toUpperCase()}}`, added, protocol, Number(port));
  } else if (!(await removeRules(machine, ({ displayName }) => displayName === deleted))) {
    return { exitCode: 1, output: "\r\nNo rules match the specified criteria.\r\n\r\n" };
  }
  await machine.save();
  return { exitCode: 0, output: "Ok.\r\n\r\n" };
}
