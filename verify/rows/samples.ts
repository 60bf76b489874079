import type { Os, SampleRow } from "./row.ts";

/** The project's samples that can be checked. */
export const sampleRows: readonly SampleRow[] = [
  sample(
    "linux-settings",
    "linux",
    "settings",
    "secret, config map, emptyDir and hostPath in a Linux pod",
  ),
  sample(
    "windows-settings",
    "windows",
    "settings",
    "secret, config map, emptyDir and hostPath in a Windows pod",
  ),
  sample("linux-metrics", "linux", "metrics", "kubelet's metrics of a Linux pod"),
  sample("windows-metrics", "windows", "metrics", "kubelet's metrics of a Windows pod"),
  sample("windows-web-server", "windows", "web-server", "Windows web server by its NodePort"),
  sample("mixed-shop", "windows", "shop", "Linux shop that asks a Windows service"),
];

function sample(id: string, os: Os, look: SampleRow["look"], title: string): SampleRow {
  return { kind: "sample", id, title, os, look };
}
