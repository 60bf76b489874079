/** A taint a node registers with. */
export interface Taint {
  readonly key: string;
  /** May be empty. */
  readonly value: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** Labels as kubelet's `--node-labels` takes them, in the order of their keys, so that theirs in the settings is free. */
export function renderLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Taints as kubelet's `--register-with-taints` takes them, in the order given. */
export function renderTaints(taints: readonly Taint[]): string {
  return taints
    .map(({ key, value, effect }) =>
      value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`,
    )
    .join(",");
}

/** Arguments as Join-Node takes them, in the order of their names, so that theirs in the settings is free. */
export function renderKubeletArgs(args: Readonly<Record<string, string>>): string {
  return Object.entries(args)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
