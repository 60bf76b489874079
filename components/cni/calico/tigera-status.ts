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
  /** Generation of the resource that the operator's report is about. */
  readonly observedGeneration?: number;
}

/**
 * Components that are not ready yet, one sentence each with the operator's message.
 *
 * @param wanted current generation of each component's resource, by the name of its TigeraStatus. A report about an
 * older generation does not count.
 */
export function missingComponents(
  statuses: readonly TigeraStatus[],
  wanted: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(wanted).flatMap(([name, generation]) => {
    const status = statuses.find(({ metadata }) => metadata.name === name);
    const why =
      status === undefined ? "not reported by the operator yet" : reason(status, generation);
    return why === undefined ? [] : [`${name}: ${why}`];
  });
}

function reason(status: TigeraStatus, generation: number): string | undefined {
  const conditions = status.status?.conditions ?? [];
  const current = (type: string): TigeraCondition | undefined =>
    conditions.find((each) => each.type === type && each.status === "True");
  const degraded = current("Degraded");
  if (degraded !== undefined) return `degraded: ${detail(degraded)}`;
  const progressing = current("Progressing");
  if (progressing !== undefined) return `not available yet: ${detail(progressing)}`;
  const available = current("Available");
  if (available === undefined) return "not available yet, and the operator does not say why";
  // Not every controller of the operator records the generation: the Windows controller does not.
  const { observedGeneration = 0 } = available;
  return observedGeneration > 0 && observedGeneration < generation
    ? "the operator has not processed the newest settings yet"
    : undefined;
}

function detail({ reason: name = "", message = "" }: TigeraCondition): string {
  return [name, message].filter((part) => part !== "").join(": ") || "without a reason";
}
