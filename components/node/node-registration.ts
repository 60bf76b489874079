export interface Taint {
  readonly key: string;
  /** Can be empty. */
  readonly value: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** Renders `name=value` pairs sorted by name, so that their order in the settings does not matter. */
export function renderSorted(values: Readonly<Record<string, string>>, separator: string): string {
  return Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(separator);
}

/** Labels for kubelet's `--node-labels`. */
export function renderLabels(labels: Readonly<Record<string, string>>): string {
  return renderSorted(labels, ",");
}

/** Taints for kubelet's `--register-with-taints`, in the given order. */
export function renderTaints(taints: readonly Taint[]): string {
  return taints
    .map(({ key, value, effect }) =>
      value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`,
    )
    .join(",");
}
