import { assignAddresses, segmentOf } from "./address-plan.ts";
import { checkedSettings } from "./checked-settings.ts";
import { checks } from "./checks/all.ts";
import { itself, placements } from "./placement.ts";
import { wholeLogin, withoutSecret } from "../components/machine/existing/login.ts";
import { existingNode } from "../components/machine/existing/settings.ts";
import {
  findNetwork,
  type FoundNetwork,
  isComplaint,
  usualNetwork,
} from "../components/network/found-network.ts";
import { examineOwnFiles, type FoundFiles } from "../components/windows/own-files.ts";
import { type OwnProgramName, ownProgramNames } from "../components/windows/own-programs.ts";
import { type GivenFiles, givenFilesIn, noGivenFiles } from "./given-files.ts";
import type { NamedFile } from "./named-file.ts";
import type { Complaint, SettingsProblem } from "./problem.ts";
import { valueAt } from "./schema-paths.ts";
import { cluster } from "./sections/cluster.ts";
import { thisHypervisor } from "./sections/machine-host.ts";
import { network, withNames } from "./sections/network.ts";
import { addressOf } from "./sections/nodes.ts";
import { ownPrograms } from "./sections/own-programs.ts";
import { withContainerd } from "./sections/windows.ts";
import {
  settingsSchema,
  type NamedSettings,
  type Settings,
  type WrittenSettings,
} from "./settings.ts";

export interface SettingsSource {
  /** Name of the stack, which is also the lab's name unless the settings give one. */
  readonly stack: string;
  /** File to name in errors, e.g. `Pulumi.dev.yaml`. */
  readonly file: string;
  /**
   * The libvirt network that the settings name, or why the lab can't use it. Default: libvirt's own network `default`, as
   * it comes.
   */
  readonly found?: FoundNetwork | Complaint | undefined;
  /** The files of the user's own programs. Default: none. */
  readonly own?: FoundFiles;
  /** The certificates and scripts that the settings name. Default: none. */
  readonly given?: GivenFiles;
}

export const noFiles: FoundFiles = { files: {}, problems: [] };

/** How a libvirt network of this host is read. */
type FindNetwork = (uri: string, name: string) => Promise<FoundNetwork | Complaint>;

/** How files of the user's programs are read. */
export type FindFiles = (...which: Parameters<typeof examineOwnFiles>) => Promise<FoundFiles>;

/** How certificates and scripts are read. */
type FindGiven = (written: Readonly<Record<string, unknown>>) => Promise<GivenFiles>;

/** How what the settings name is found on this host. */
export interface Finders {
  readonly network: FindNetwork;
  readonly files: FindFiles;
  readonly given: FindGiven;
}

export const onThisHost: Finders = {
  network: findNetwork,
  files: examineOwnFiles,
  given: givenFilesIn,
};

/** `resolveSettings`, after reading the libvirt network and the programs that the settings name, if any. */
export async function resolveOnHost(
  written: Readonly<Record<string, unknown>>,
  source: Omit<SettingsSource, "found" | "own" | "given">,
  others: readonly SettingsProblem[],
  find: Partial<Finders> = {},
): Promise<Settings> {
  const { network: findNetwork, files, given } = { ...onThisHost, ...find };
  const uri = settingsSchema.shape.hypervisor.safeParse(written["hypervisor"] ?? {}).data?.uri;
  const name = networkIn(written);
  const found = uri === undefined || name === undefined ? undefined : await findNetwork(uri, name);
  const own = await ownFilesIn(written, files);
  const more = { found, own, given: await given(written) };
  return resolveSettings(written, { ...source, ...more }, others);
}

/** Finds the programs that the settings name, even if other settings are wrong. */
export function ownFilesIn(
  written: Readonly<Record<string, unknown>>,
  find: FindFiles = examineOwnFiles,
): Promise<FoundFiles> {
  const given = (name: OwnProgramName): NamedFile =>
    ownPrograms.shape[name].safeParse(valueAt(written, ["windows", "programs", name])).data ?? {};
  const named = ownProgramNames.map((name) => [name, given(name)] as const);
  if (named.every(([, { path, url }]) => path === undefined && url === undefined)) {
    return Promise.resolve(noFiles);
  }
  const version = valueAt(written, ["cluster", "kubernetesVersion"]);
  const { kubernetesVersion } = cluster.shape;
  return find(Object.fromEntries(named), kubernetesVersion.safeParse(version).data);
}

/**
 * Checks the settings of a lab and fills in everything that follows from them.
 *
 * @param written the sections below the namespace.
 * @param others mistakes outside the sections, to report as well.
 * @throws SettingsError with all mistakes.
 */
export function resolveSettings(
  written: Readonly<Record<string, unknown>>,
  { stack, file, found = usualNetwork, own = noFiles, given = noGivenFiles }: SettingsSource,
  others: readonly SettingsProblem[] = [],
): Settings {
  const unusable = isComplaint(found) ? found : undefined;
  const rules = {
    schema: settingsSchema,
    named: (settings: WrittenSettings): NamedSettings => {
      const name = settings.lab.name ?? stack;
      const { network, windows } = settings;
      return {
        ...settings,
        lab: { name },
        network: withNames(
          network,
          name,
          network.libvirtNetwork === undefined || isComplaint(found) ? undefined : found,
        ),
        windows: { ...withContainerd(windows), ownFiles: own.files },
        given,
      };
    },
    checks,
  };
  const notRead: readonly SettingsProblem[] =
    unusable === undefined
      ? []
      : [{ path: ["network", "libvirtNetwork"], value: networkIn(written), ...unusable }];
  const unknown = unusable === undefined ? [] : ["network.cidr"];
  const report = {
    file,
    others: [...others, ...notRead, ...own.problems, ...given.problems],
    unknown,
    redact: withoutLoginSecret,
  };
  return filled(checkedSettings(rules, written, report), file);
}

/** The libvirt network that the settings name, even if other settings of the section are wrong. */
export function networkIn(written: Readonly<Record<string, unknown>>): string | undefined {
  const { libvirtNetwork } = network.shape;
  return libvirtNetwork.safeParse(valueAt(written, ["network", "libvirtNetwork"])).data;
}

/** Logins have secrets that other sections don't, e.g. a key among the settings. */
function withoutLoginSecret(problem: SettingsProblem): SettingsProblem {
  const { path } = problem;
  return path[0] === "login" || path.includes("ssh") ? withoutSecret(problem) : problem;
}

function filled(settings: NamedSettings, file: string): Settings {
  const placed = placements(settings);
  const addresses = assignAddresses(
    settings.nodes.map((node, index) => ({
      segment: segmentOf(settings, placed[index]?.hypervisor ?? thisHypervisor),
      address: addressOf(node),
    })),
  );
  const made = settings.nodes.flatMap(({ ssh, ...node }, index) => {
    if (ssh !== undefined) return [];
    const { cpus, memoryMiB, diskGiB } = settings[node.os];
    const whole = {
      ...node,
      address: addresses[index] ?? "",
      nodeIp: node.nodeIp ?? addresses[index] ?? "",
      cpus: node.cpus ?? cpus,
      memoryMiB: node.memoryMiB ?? memoryMiB,
      diskGiB: node.diskGiB ?? diskGiB,
      hypervisor: placed[index]?.hypervisor ?? thisHypervisor,
    };
    return [whole];
  });
  return {
    ...settings,
    login: wholeLogin(settings.login, {}, file),
    placement: placed.filter(({ hypervisor }) => hypervisor !== itself),
    nodes: made.filter(({ os }) => os === "windows"),
    linuxNodes: made.filter(({ os }) => os === "linux"),
    ownNodes: settings.nodes.flatMap(({ ssh, ...node }) =>
      ssh === undefined ? [] : existingNode(settings.login, node, ssh, file),
    ),
  };
}
