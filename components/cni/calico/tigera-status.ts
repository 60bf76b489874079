/** Status of a Calico component: `kubectl get tigerastatus`. */
export interface TigeraStatus {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly TigeraCondition[] };
}

export interface TigeraCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  /** Generation of the resource to which the operator's report refers. */
  readonly observedGeneration?: number;
}

/**
 * Components that are not ready yet, one sentence each with the operator's message.
 *
 * @param wanted generation of each component's resource by the name of its TigeraStatus: an older report is outdated.
 */
export function missingComponents(
  statuses: readonly TigeraStatus[],
  wanted: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(wanted).flatMap(([name, generation]) => {
    const status = statuses.find(({ metadata }) => metadata.name === name);
    const why =
      status === undefined ? "no report of the operator's yet" : reason(status, generation);
    return why === undefined ? [] : [`${name}: ${why}`];
  });
}

function reason(status: TigeraStatus, generation: number): string | undefined {
  const conditions = status.status?.conditions ?? [];
  const current = (type: string): TigeraCondition | undefined =>
    conditions.find((each) => each.type === type && each.status === "True");
  const degraded = current("Degraded");
  if (degraded !== undefined) return `degraded: ${words(degraded)}`;
  const progressing = current("Progressing");
  if (progressing !== undefined) return `not there yet: ${words(progressing)}`;
  const available = current("Available");
  if (available === undefined) return "not there yet, and the operator does not say why";
  // Not every controller of the operator records the generation: the Windows controller does not.
  const { observedGeneration = 0 } = available;
  return observedGeneration > 0 && observedGeneration < generation
    ? "the operator has not looked at the newest settings yet"
    : undefined;
}

function words({ reason: name = "", message = "" }: TigeraCondition): string {
  return [name, message].filter((part) => part !== "").join(": ") || "without a reason";
}
