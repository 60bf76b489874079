export interface Taint {
  readonly key: string;
  /** May be empty. */
  readonly value: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** Labels for kubelet's `--node-labels`, sorted by key, so that their order in the settings does not matter. */
export function renderLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Taints for kubelet's `--register-with-taints`, in the given order. */
export function renderTaints(taints: readonly Taint[]): string {
  return taints
    .map(({ key, value, effect }) =>
      value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`,
    )
    .join(",");
}

/** Arguments for Join-Node, sorted by name, so that their order in the settings does not matter. */
export function renderKubeletArgs(args: Readonly<Record<string, string>>): string {
  return Object.entries(args)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
