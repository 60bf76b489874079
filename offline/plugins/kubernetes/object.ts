import type { V1ManagedFieldsEntry, V1ObjectMeta } from "@kubernetes/client-node";

/** The part of an API object that every kind has. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: V1ObjectMeta;
  readonly status?: unknown;
  readonly spec?: unknown;
  readonly [field: string]: unknown;
}

export type ManagedFields = V1ManagedFieldsEntry;

/** Annotations that control the provider, named as in the official plugin. */
export const ANNOTATION = {
  /** "true": do not wait until the object is ready. */
  skipAwait: "pulumi.com/skipAwait",
  /** "true": take over fields that others manage. */
  patchForce: "pulumi.com/patchForce",
  /** Name of the field manager. */
  patchFieldManager: "pulumi.com/patchFieldManager",
} as const;
