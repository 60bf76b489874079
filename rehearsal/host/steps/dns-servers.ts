import type { WindowsHost } from "../windows-host.ts";

/** The comment of our rule: the same as lib/DnsServers.ps1. */
const mark = "kindows";

/** Removes our rule; whether there was one. */
export async function removeDnsServers({ settings }: WindowsHost): Promise<boolean> {
  const foreign = settings.dnsRules.filter(({ comment }) => comment !== mark);
  if (foreign.length === settings.dnsRules.length) return false;
  await settings.setDnsRules(foreign);
  return true;
}
