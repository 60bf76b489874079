import type { SampleRow } from "./row.ts";

/** The project's samples, as far as there is something to see in them. */
export const sampleRows: readonly SampleRow[] = [
  {
    kind: "sample",
    id: "linux-settings",
    title: "secret, config map, emptyDir and hostPath in a Linux pod",
    os: "linux",
    look: "settings",
  },
  {
    kind: "sample",
    id: "windows-settings",
    title: "secret, config map, emptyDir and hostPath in a Windows pod",
    os: "windows",
    look: "settings",
  },
  {
    kind: "sample",
    id: "linux-metrics",
    title: "kubelet's metrics of a Linux pod",
    os: "linux",
    look: "metrics",
  },
  {
    kind: "sample",
    id: "windows-metrics",
    title: "kubelet's metrics of a Windows pod",
    os: "windows",
    look: "metrics",
  },
  {
    kind: "sample",
    id: "windows-web-server",
    title: "Windows web server by its NodePort",
    os: "windows",
    look: "web-server",
  },
  {
    kind: "sample",
    id: "mixed-shop",
    title: "Linux shop that asks a Windows service",
    os: "windows",
    look: "shop",
  },
];
