/**
 * The Name Resolution Policy Table and the resolver's cache. Rules are only stored, because programs resolve names by the
 * Linux underneath.
 *
 * Sources: https://learn.microsoft.com/powershell/module/dnsclient (Get-, Add- and Remove-DnsClientNrptRule,
 * Clear-DnsClientCache).
 */
import { randomUUID } from "node:crypto";
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { object, strings } from "./objects.ts";

export function dnsCmdlets({ state }: WindowsMachine): readonly Cmdlet[] {
  return cmdlets({
    async "Get-DnsClientNrptRule"(call) {
      for (const { name, namespace, servers, comment } of state.dnsRules) {
        const lists = { Namespace: strings([namespace]), NameServers: strings(servers) };
        await call.emit(object({ Name: name, ...lists, Comment: comment }));
      }
    },
    "Add-DnsClientNrptRule -Namespace <string[]> [-NameServers <string[]>] [-Comment <string>]": (
      call,
    ) =>
      void state.dnsRules.push({
        name: `{${randomUUID().toUpperCase()}}`,
        namespace: call.texts("Namespace")?.[0] ?? "",
        servers: call.texts("NameServers") ?? [],
        comment: call.text("Comment") ?? "",
      }),
    "Remove-DnsClientNrptRule -Name <string> [-Force]"(call) {
      state.dnsRules = state.dnsRules.filter(({ name }) => name !== call.text("Name"));
    },
    "Clear-DnsClientCache": () => undefined,
  });
}
