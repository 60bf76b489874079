import { StepError } from "../step-error.ts";
import type { WindowsHost } from "../windows-host.ts";

/** The comment of our rule: the same as lib/DnsServers.ps1. */
const mark = "kindows";

/**
 * Has the machine ask these DNS servers, and no others; whether it did not until now. The rule alone is in the model: what
 * programs of the rehearsal ask stays with the Linux under it.
 */
export async function setDnsServers(
  { settings }: WindowsHost,
  servers: readonly string[],
): Promise<boolean> {
  const foreign = settings.dnsRules.filter(({ comment }) => comment !== mark);
  const own = settings.dnsRules.filter(({ comment }) => comment === mark);
  if (servers.length > 0 && foreign.length > 0) {
    throw new StepError(
      "ForeignDnsRule",
      `The machine has a rule for all names already, with the DNS servers ${foreign[0]?.servers.join(", ") ?? ""}.`,
      "Remove it (Get-DnsClientNrptRule, Remove-DnsClientNrptRule), or leave windows.dnsServers out.",
    );
  }
  const before = own.map((rule) => rule.servers.join(",")).join(";");
  if (before === servers.join(",")) return false;
  await settings.setDnsRules([
    ...foreign,
    ...(servers.length > 0 ? [{ comment: mark, servers: [...servers] }] : []),
  ]);
  return true;
}
