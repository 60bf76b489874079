/** An object as the API server sends it, as far as every kind has it. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly status?: unknown;
  readonly spec?: unknown;
  readonly [field: string]: unknown;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly managedFields?: readonly ManagedFields[];
}

/** Which fields a field manager owns. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly [field: string]: unknown;
}

/** Annotations by which a program steers the provider; the names are the official plugin's. */
export const ANNOTATION = {
  /** Set by the provider where it made the name up. */
  autonamed: "pulumi.com/autonamed",
  /** "true": do not wait until the object is ready. */
  skipAwait: "pulumi.com/skipAwait",
  /** Seconds to wait at most; customTimeouts go first. */
  timeoutSeconds: "pulumi.com/timeoutSeconds",
  /** "true": take fields over that others manage. */
  patchForce: "pulumi.com/patchForce",
  /** Name to manage fields under. */
  patchFieldManager: "pulumi.com/patchFieldManager",
  /** Foreground, Background or Orphan. */
  deletionPropagation: "pulumi.com/deletionPropagationPolicy",
} as const;
