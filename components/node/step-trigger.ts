import type * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import type { Machine } from "../machine/machine.ts";

const stepTriggerSchema = z.object({
  /** The machine's instance: on another one, everything is done again. */
  machine: z.string(),
  /** Name of a step of the operating system's list, or of `otherSteps` (step-title.ts). */
  step: z.string(),
  /** SHA-256 of what is copied to the machine. */
  sha256: z.string().optional(),
});

/**
 * What a resource that turns a machine into a node does, and when it does it again. It is the resource's only trigger,
 * so it is also in the state and in the engine's events, where `up` and recovery read it.
 */
type StepTrigger = z.infer<typeof stepTriggerSchema>;

/** The input `triggers` of a resource of a node. */
export function stepTriggers(
  { instanceId }: Pick<Machine, "instanceId">,
  step: string,
  sha256?: string,
): pulumi.Input<pulumi.Input<{ readonly [Name in keyof StepTrigger]: pulumi.Input<string> }>[]> {
  return [{ machine: instanceId, step, ...(sha256 !== undefined && { sha256 }) }];
}

/** @param inputs of a resource in the state or in an event. */
export function stepTriggerOf(
  inputs: Readonly<Record<string, unknown>> | null | undefined,
): StepTrigger | undefined {
  return z.tuple([stepTriggerSchema]).safeParse(inputs?.["triggers"]).data?.[0];
}
