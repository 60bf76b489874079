/**
 * The Name Resolution Policy Table and the resolver's cache. What programs of the rehearsal ask stays with the Linux under
 * it: a rule is kept and shown, no more.
 *
 * Sources: https://learn.microsoft.com/powershell/module/dnsclient (Get-, Add- and Remove-DnsClientNrptRule,
 * Clear-DnsClientCache).
 */
import { randomUUID } from "node:crypto";
import type { Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { CustomObject } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

export function dnsCmdlets({ settings }: WindowsHost): readonly Cmdlet[] {
  return [
    {
      name: "Get-DnsClientNrptRule",
      parameters: {},
      async run(call) {
        for (const { name, namespace, servers, comment } of settings.dnsRules) {
          const rule = new CustomObject(is.customObject)
            .set("Name", name)
            .set("Namespace", is.array([namespace], is.types.get("string[]")))
            .set("NameServers", is.array([...servers], is.types.get("string[]")))
            .set("Comment", comment);
          await call.emit(rule);
        }
      },
    },
    {
      name: "Add-DnsClientNrptRule",
      parameters: {
        Namespace: { type: "string[]", mandatory: true },
        NameServers: { type: "string[]" },
        Comment: { type: "string" },
      },
      run: (call) =>
        settings.setDnsRules([
          ...settings.dnsRules,
          {
            name: `{${randomUUID().toUpperCase()}}`,
            namespace: call.texts("Namespace")?.[0] ?? "",
            servers: call.texts("NameServers") ?? [],
            comment: call.text("Comment") ?? "",
          },
        ]),
    },
    {
      name: "Remove-DnsClientNrptRule",
      parameters: { Name: { type: "string", mandatory: true }, Force: { type: "switch" } },
      run: (call) =>
        settings.setDnsRules(settings.dnsRules.filter(({ name }) => name !== call.text("Name"))),
    },
    { name: "Clear-DnsClientCache", parameters: {}, run: () => undefined },
  ];
}
