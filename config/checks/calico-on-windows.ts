import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** What Calico does not do on Windows (its page "Limitations and known issues" of Windows), or not on this one. */
export const calicoOnWindows: readonly Check<NamedSettings>[] = [
  {
    reads: ["windows.version", "cni.kind"],
    run: ({ windows, cni }) =>
      windows.version === "2025" && cni.kind === "calico"
        ? [
            {
              path: ["windows", "version"],
              value: windows.version,
              why: "can't be used with kindows:cni.kind calico: Calico 3.32 supports Windows Server up to 2022 (projectcalico/calico issue 11691)",
              instead: 'Write "2022", or choose another kindows:cni.kind.',
            },
          ]
        : [],
  },
  {
    reads: ["cni.kind", "cni.calico.encapsulation"],
    run: (settings) =>
      withWindowsNodes(settings) && settings.cni.calico.encapsulation !== "VXLAN"
        ? [
            {
              path: ["cni", "calico", "encapsulation"],
              value: settings.cni.calico.encapsulation,
              why: "can't be with Windows nodes: Calico knows only VXLAN between them and all others, in one subnet or not",
              instead: "Write VXLAN.",
            },
          ]
        : [],
  },
  {
    reads: ["cni.kind", "cni.calico.bgp"],
    run: (settings) =>
      withWindowsNodes(settings) && settings.cni.calico.bgp === "Enabled"
        ? [
            {
              path: ["cni", "calico", "bgp"],
              value: settings.cni.calico.bgp,
              why: "can't be with Windows nodes: Calico's VXLAN there (windowsDataplane HNS) needs BGP to be off",
              instead: "Write Disabled.",
            },
          ]
        : [],
  },
];

function withWindowsNodes({ cni, nodes }: NamedSettings): boolean {
  return cni.kind === "calico" && nodes.some(({ os }) => os === "windows");
}

/** Kubernetes is one that this Calico is tested with. */
export function calicoKubernetes(
  testedWith: Readonly<Record<string, readonly string[]>>,
): Check<NamedSettings> {
  return {
    reads: ["cni.kind", "cni.calico.version", "cluster.kubernetesVersion"],
    run({ cni, cluster }): SettingsProblem[] {
      const tested = testedWith[minor(cni.calico.version)] ?? [];
      if (cni.kind !== "calico" || tested.includes(minor(cluster.kubernetesVersion))) {
        return [];
      }
      return [
        {
          path: ["cluster", "kubernetesVersion"],
          value: cluster.kubernetesVersion,
          why: `is not one that Calico ${cni.calico.version} is tested with (${tested.join(", ")})`,
          instead: `Write one of ${tested.at(-1) ?? "those"}, or choose another kindows:cni.calico.version or kindows:cni.kind.`,
        },
      ];
    },
  };
}

function minor(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}
