import { hostsFilePath, mergeHostsLines } from "../hosts-file.ts";
import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { PowerLost } from "../power-lost.ts";
import type { WindowsHost } from "../windows-host.ts";
import { restoreAutomaticUpdate } from "./automatic-update.ts";
import { removeDnsServers } from "./dns-servers.ts";
import { hasJoinRemains, resetMembership } from "./membership.ts";
import { removeNodeRoutes } from "./node-routes.ts";
import { nodeFolders, removeNodeFolders } from "./node-folders.ts";
import { restoreProxy } from "./machine-proxy.ts";

/** What Calico's scripts leave in the machine's environment: the same pattern as lib/NodeTraces.ps1. */
const variablePattern = /^(CALICO_|FELIX_|KUBE_NETWORK$|IP_AUTODETECTION_METHOD$)/i;
const firewallRules = ["kubelet", "OverlayTraffic4789UDP"];
/** The same as lib/NodeNetworks.ps1. */
const networkPattern = /^(External|Calico.*|calico.*|cbr0|flannel\.[0-9]+|vxlan0)$/i;

/** One part of a reset; returns one line for each thing it removed. */
type Part = readonly [name: string, remove: () => Promise<string[]>];

/**
 * Makes the machine what it was before it became a node. Images and Calico's registry key are not there in the model.
 */
export async function resetNode(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const wasJoined = await hasJoinRemains(host);
  const installed =
    (await host.drive.isFile("C:\\k\\kubeadm.exe")) && host.services.get("kubelet") !== undefined;
  await context.checkpoint();
  if (wasJoined && installed) {
    try {
      await resetMembership(
        context,
        parameters.text("CriSocket"),
        parameters.integer("TimeoutSeconds"),
      );
    } catch (error) {
      if (error instanceof PowerLost) throw error;
      // Its pods may hang, or containerd be gone: all it works on is removed below.
      context.progress(`kubeadm could not reset the node: ${messageOf(error)}`);
    }
  }

  const removed: string[] = [];
  const problems: string[] = [];
  for (const [name, remove] of parts(host)) {
    try {
      removed.push(...(await remove()));
    } catch (error) {
      if (error instanceof PowerLost) throw error;
      problems.push(`${name}: ${messageOf(error)}`);
      context.progress(problems.at(-1) ?? "");
    }
    host.assertPower();
  }
  if (problems.length > 0) {
    throw new StepError(
      "ResetFailed",
      `Not everything could be removed. ${problems.join("; ")}`,
      "Run again; what is in use goes away with a reboot of the machine.",
    );
  }
  return { changed: removed.length > 0, facts: { wasJoined, removed } };
}

function parts(host: WindowsHost): readonly Part[] {
  const service = async (name: string): Promise<string[]> =>
    (await host.services.remove(name)) ? [`service ${name}`] : [];
  return [
    ["kubelet", () => service("kubelet")],
    ["flanneld", () => service("flanneld")],
    ["containerd", () => service("containerd")],
    [
      "firewall",
      () => each(firewallRules, "firewall rule", (name) => host.settings.removeFirewallRule(name)),
    ],
    [
      "environment",
      () =>
        each(
          Object.keys(host.settings.environment).filter((name) => variablePattern.test(name)),
          "variable",
          async (name) => {
            await host.settings.setEnvironment(name, undefined);
            return true;
          },
        ),
    ],
    [
      "registry",
      async () => {
        if (host.settings.calicoBootTime === "") return [];
        await host.settings.setCalicoBootTime("");
        return ["registry key HKLM:\\Software\\Tigera"];
      },
    ],
    // Before the folder with what they were.
    ["updates", async () => ((await restoreAutomaticUpdate(host)) ? ["policy NoAutoUpdate"] : [])],
    ["proxy", async () => ((await restoreProxy(host)) ? ["the machine's proxy"] : [])],
    ["Defender", () => removeExclusions(host)],
    [
      "PATH",
      async () => {
        const folders = ["C:\\k", "C:\\Program Files\\containerd"];
        const taken = await each(folders, "", (folder) => host.settings.removeFromPath(folder));
        return taken.map((folder) => `${folder.trim()} on the PATH`);
      },
    ],
    ["hosts file", () => removeHostsLines(host)],
    ["DNS", async () => ((await removeDnsServers(host)) ? ["the DNS servers"] : [])],
    // Before the folder with their record.
    ["routes", () => removeNodeRoutes(host)],
    ["folders", () => removeNodeFolders(host.drive)],
    [
      "networks",
      () =>
        each(
          host.settings.networks().filter((name) => networkPattern.test(name)),
          "network",
          (name) => host.settings.removeNetwork(name),
        ),
    ],
  ];
}

async function each(
  names: readonly string[],
  kind: string,
  remove: (name: string) => Promise<boolean>,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of names) if (await remove(name)) removed.push(`${kind} ${name}`);
  return removed;
}

async function removeExclusions(host: WindowsHost): Promise<string[]> {
  const isOurs = (path: string): boolean =>
    nodeFolders.some((folder) => path === folder || path.startsWith(`${folder}\\`));
  const before = host.settings.defenderExclusions;
  await host.settings.setDefenderExclusions(before.filter((path) => !isOurs(path)));
  return before.filter(isOurs).map((path) => `Defender's exclusion of ${path}`);
}

async function removeHostsLines(host: WindowsHost): Promise<string[]> {
  const before = ((await host.drive.readText(hostsFilePath)) ?? "").split(/\r?\n/);
  if (before.at(-1) === "") before.pop();
  const after = mergeHostsLines(before, []);
  if (!("lines" in after) || after.lines.length === before.length) return [];
  await host.drive.write(hostsFilePath, after.lines.map((line) => `${line}\r\n`).join(""));
  await host.applyHostsFile();
  return [`${before.length - after.lines.length} hosts entries`];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
