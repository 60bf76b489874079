import type { V1ManagedFieldsEntry, V1ObjectMeta } from "@kubernetes/client-node";

/** An object as the API server sends it, as far as every kind has it. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: V1ObjectMeta;
  readonly status?: unknown;
  readonly spec?: unknown;
  readonly [field: string]: unknown;
}

export type ManagedFields = V1ManagedFieldsEntry;

/** Annotations by which a program steers the provider; the names are the official plugin's. */
export const ANNOTATION = {
  /** "true": do not wait until the object is ready. */
  skipAwait: "pulumi.com/skipAwait",
  /** "true": take fields over that others manage. */
  patchForce: "pulumi.com/patchForce",
  /** Name to manage fields under. */
  patchFieldManager: "pulumi.com/patchFieldManager",
} as const;
