import { assignAddresses, segmentOf } from "./address-plan.ts";
import { checkedSettings } from "./checked-settings.ts";
import { checks } from "./checks/all.ts";
import { placements } from "./placement.ts";
import type { SettingsProblem } from "./problem.ts";
import { thisHypervisor } from "./sections/machine-host.ts";
import { withNames } from "./sections/network.ts";
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
  { stack, file }: SettingsSource,
  others: readonly SettingsProblem[] = [],
): Settings {
  const rules = {
    schema: settingsSchema,
    named: (settings: WrittenSettings): NamedSettings => {
      const name = settings.lab.name ?? stack;
      const { network, windows } = settings;
      return {
        ...settings,
        lab: { name },
        network: withNames(network, name),
        windows: withContainerd(windows),
      };
    },
    checks,
  };
  return filled(checkedSettings(rules, written, { file, others }));
}

function filled(settings: NamedSettings): Settings {
  const placed = placements(settings);
  const addresses = assignAddresses(
    settings.nodes.map(({ address }, index) => ({
      segment: segmentOf(settings, placed[index]?.hypervisor ?? thisHypervisor),
      address,
    })),
  );
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
