/** An object as the API server sends it, as far as every kind has it. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly status?: unknown;
  readonly spec?: unknown;
  readonly [field: string]: unknown;
}

interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

/** Annotations by which a program steers the provider; the names are the official plugin's. */
export const ANNOTATION = {
  /** "true": do not wait until the object is ready. */
  skipAwait: "pulumi.com/skipAwait",
  /** "true": take fields over that others manage. */
  patchForce: "pulumi.com/patchForce",
  /** Name to manage fields under. */
  patchFieldManager: "pulumi.com/patchFieldManager",
} as const;
