import { type HostsLine, hostsFilePath, mergeHostsLines } from "../hosts-file.ts";
import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { setDnsServers } from "./dns-servers.ts";

/** Makes the given names resolve, on drive C: and for the programs that run under it; notes who is asked for others. */
export async function setHostsEntry(context: StepContext): Promise<StepOutcome> {
  const { host } = context;
  const entry = context.parameters.text("Entry");
  const wanted = entry
    .split(";")
    .filter((pair) => pair !== "")
    .map((pair): HostsLine => {
      const [address = "", name = ""] = pair.split("=", 2);
      return { address, name };
    });
  const text = (await host.drive.readText(hostsFilePath)) ?? "";
  const before = text.split(/\r?\n/);
  if (before.at(-1) === "") before.pop();

  const after = mergeHostsLines(before, wanted);
  if ("conflict" in after) {
    throw new StepError(
      "ForeignHostsEntry",
      `The hosts file already says '${after.conflict}', but ${after.entry.name} must be ${after.entry.address}.`,
      "Remove that line from C:\\Windows\\System32\\drivers\\etc\\hosts on the machine.",
    );
  }
  const changed = before.join("\n") !== after.lines.join("\n");
  if (changed) {
    await host.drive.write(hostsFilePath, after.lines.map((line) => `${line}\r\n`).join(""));
    await context.checkpoint();
  }
  // Also when nothing changed: a run cut short may have written the file only.
  await host.applyHostsFile();
  const dnsServers = context.parameters.text("DnsServers");
  const servers = dnsServers.split(",").filter((server) => server !== "");
  const changedDns = await setDnsServers(host, servers);
  return { changed: changed || changedDns, facts: { entries: entry, dnsServers } };
}
