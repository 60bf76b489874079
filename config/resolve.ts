import { assignAddresses } from "./address-plan.ts";
import { checks } from "./checks/all.ts";
import { thisHypervisor } from "./hypervisor-settings.ts";
import { defaultBridge, defaultDomain } from "./names.ts";
import { placements } from "./placement.ts";
import { pathText, SettingsError } from "./problem.ts";
import type { SettingsProblem } from "./problem.ts";
import { repaired } from "./repair.ts";
import { defaultContainerdVersion, rehearsalVersions } from "./supported.ts";
import { settingsSchema } from "./settings.ts";
import type { NamedSettings, Settings, WrittenSettings } from "./settings.ts";
import { shapeProblems } from "./shape-problems.ts";
import { splitConfig } from "./split-config.ts";
import { stackKind } from "./stack-kind.ts";

/** Where settings come from. */
export interface SettingsSource {
  /** Name of the stack; the lab's name unless the settings give one. */
  readonly stack: string;
  /** File to name in errors, e.g. `Pulumi.dev.yaml`. */
  readonly file: string;
}

/**
 * Everything the program is told, from a stack's whole configuration: keys with their namespaces.
 *
 * @param outside Mistakes that were found around it, to be told with the others.
 * @throws SettingsError with every mistake there is; a stack without any setting is one.
 */
export function resolveConfig(
  config: Readonly<Record<string, unknown>>,
  source: SettingsSource,
  outside: readonly SettingsProblem[] = [],
): Settings {
  const { sections: written, strays } = splitConfig(config);
  const { sections } = stackKind(written, source.file);
  const others = [...outside, ...strays];
  const empty = others.length === 0 && Object.keys(sections).length === 0;
  return resolveSettings(sections, source, empty ? [nothingWritten] : others);
}

/** Everything has a default, and yet nobody means a lab that he has not said a word about. */
const nothingWritten: SettingsProblem = {
  path: ["nodes"],
  value: undefined,
  why: "is missing, and so is every other setting",
  instead:
    "Write at least `kindows:nodes:` below `config:`, with `- name: win-1` indented below it; all settings are in docs/settings.md.",
};

/**
 * The same from the sections below the namespace.
 *
 * @param others Mistakes around the sections, to be told first.
 * @throws SettingsError with every mistake there is, in the order of the settings.
 */
export function resolveSettings(
  written: Readonly<Record<string, unknown>>,
  source: SettingsSource,
  others: readonly SettingsProblem[] = [],
): Settings {
  const parsed = settingsSchema.safeParse(written);
  const broken = parsed.success ? [] : shapeProblems(settingsSchema, written, parsed.error.issues);
  const settings = named(
    parsed.success ? parsed.data : repaired(settingsSchema, written),
    source.stack,
  );
  const brokenPaths = broken.map((problem) => pathText(problem.path));
  const isBroken = (read: string): boolean =>
    brokenPaths.some((broken) => read === broken || read.startsWith(`${broken}.`));
  const crossed = checks
    .filter((check) => !check.reads.some((path) => isBroken(`kindows:${path}`)))
    .flatMap((check) => check.run(settings));
  const problems = [...others, ...inOrder([...broken, ...crossed])];
  if (problems.length > 0) {
    throw new SettingsError(problems, source.file);
  }
  return filled(settings);
}

/** Fills in what follows from the lab's name and from the image. */
function named(settings: WrittenSettings, stack: string): NamedSettings {
  const lab = settings.lab.name ?? stack;
  return {
    ...settings,
    lab: { name: lab },
    network: {
      ...settings.network,
      bridge: settings.network.bridge ?? defaultBridge(lab),
      domain: settings.network.domain ?? defaultDomain(lab),
    },
    windows: {
      ...settings.windows,
      containerdVersion:
        settings.windows.containerdVersion ??
        (settings.windows.image.kind === "rehearsal"
          ? rehearsalVersions.containerd
          : defaultContainerdVersion),
    },
  };
}

/** Fills in what a node has in common with the others. */
function filled(settings: NamedSettings): Settings {
  const addresses = assignAddresses(
    settings.network.cidr,
    settings.nodes.map((node) => node.address),
  );
  const placed = placements(settings);
  const nodes = settings.nodes.map((node, index) => {
    const { cpus, memoryMiB, diskGiB } = settings[node.os];
    return {
      ...node,
      address: addresses[index] ?? "",
      nodeIp: node.nodeIp ?? addresses[index] ?? "",
      cpus: node.cpus ?? cpus,
      memoryMiB: node.memoryMiB ?? memoryMiB,
      diskGiB: node.diskGiB ?? diskGiB,
      hypervisor: placed[index]?.hypervisor ?? thisHypervisor,
    };
  });
  return {
    ...settings,
    placement: placed,
    nodes: nodes.filter(({ os }) => os === "windows"),
    linuxNodes: nodes.filter(({ os }) => os === "linux"),
  };
}

/** Problems section by section, in the order the schema has them; within a section as found. */
function inOrder(problems: readonly SettingsProblem[]): SettingsProblem[] {
  const sections = Object.keys(settingsSchema.shape);
  const rank = (problem: SettingsProblem): number => {
    const place = sections.indexOf(String(problem.path[0]));
    return place < 0 ? sections.length : place;
  };
  return [...problems].sort((one, other) => rank(one) - rank(other));
}
