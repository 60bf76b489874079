import type { SettingsProblem } from "../problem.ts";
import type { WrittenSettings } from "../settings.ts";

/** The part of the settings it is about; stacks of every kind have it. */
interface DnsSettings {
  readonly windows: Pick<WrittenSettings["windows"], "dnsServers">;
}

/** Each DNS server is asked once. */
export const dnsServersOnce = {
  reads: ["windows.dnsServers"],
  run: ({ windows: { dnsServers } }: DnsSettings): SettingsProblem[] =>
    dnsServers.flatMap((server, index) =>
      dnsServers.indexOf(server) < index
        ? [
            {
              path: ["windows", "dnsServers", index],
              value: server,
              why: "is there twice",
              instead: "Leave one of them out.",
            },
          ]
        : [],
    ),
};
