import { assignAddresses } from "./address-plan.ts";
import { checks } from "./checks/all.ts";
import { defaultBridge, defaultDomain } from "./names.ts";
import { pathText, SettingsError } from "./problem.ts";
import type { SettingsProblem } from "./problem.ts";
import { repaired } from "./repair.ts";
import { defaultContainerdVersion, rehearsalVersions } from "./supported.ts";
import { settingsSchema } from "./settings.ts";
import type { NamedSettings, Settings, WrittenSettings } from "./settings.ts";
import { shapeProblems } from "./shape-problems.ts";

/** Where settings come from. */
export interface SettingsSource {
  /** Name of the stack; the lab's name unless the settings give one. */
  readonly stack: string;
  /** File to name in errors, e.g. `Pulumi.dev.yaml`. */
  readonly file: string;
}

/**
 * Everything the program is told, from the sections as written.
 *
 * @throws SettingsError with every mistake there is, in the order of the settings.
 */
export function resolveSettings(
  written: Readonly<Record<string, unknown>>,
  source: SettingsSource,
): Settings {
  const parsed = settingsSchema.safeParse(written);
  const broken = parsed.success ? [] : shapeProblems(settingsSchema, written, parsed.error.issues);
  const settings = named(
    parsed.success ? parsed.data : repaired(settingsSchema, written),
    source.stack,
  );
  const brokenPaths = broken.map((problem) => pathText(problem.path));
  const crossed = checks
    .filter((check) => !check.reads.some((path) => brokenPaths.includes(`kindows:${path}`)))
    .flatMap((check) => check.run(settings));
  const problems = [...broken, ...crossed];
  if (problems.length > 0) {
    throw new SettingsError(inOrder(problems), source.file);
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
  const { cpus, memoryMiB, diskGiB } = settings.windows;
  return {
    ...settings,
    nodes: settings.nodes.map((node, index) => ({
      ...node,
      address: addresses[index] ?? "",
      nodeIp: node.nodeIp ?? addresses[index] ?? "",
      cpus: node.cpus ?? cpus,
      memoryMiB: node.memoryMiB ?? memoryMiB,
      diskGiB: node.diskGiB ?? diskGiB,
    })),
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
