import pRetry from "p-retry";
import {
  ApiError,
  type ApiRequest,
  type ClusterApi,
  hasStatus,
} from "../../../host/kubernetes/cluster-api.ts";
import type { Operation } from "../protocol/operation.ts";
import { type PropertyMap, reveal } from "../protocol/property-value.ts";
import { type Kind, objectPath } from "./kinds.ts";
import type { KubernetesObject, ManagedFields } from "./object.ts";

/** Retries, with growing pauses, while the namespace is missing: it may be created at the same time. */
const NAMESPACE_RETRIES = 4;

export interface RequestOptions {
  readonly operation: Operation;
  /** Name under which the API server records who set which field. */
  readonly fieldManager: string;
  /** Whether the API server only checks the request, and changes nothing. */
  readonly dryRun: boolean;
  /** Whether to take over fields that others manage, which is an error otherwise. */
  readonly force: boolean;
}

/** One object of the cluster. */
export class ClusterObject {
  constructor(
    readonly client: ClusterApi,
    readonly kind: Kind,
    readonly namespace: string,
    readonly name: string,
  ) {}

  /** Id of its resource, as in the official plugin: `namespace/name`, or `name` for cluster-wide kinds. */
  get id(): string {
    return this.kind.namespaced ? `${this.namespace}/${this.name}` : this.name;
  }

  get title(): string {
    return `${this.kind.kind} ${this.id}`;
  }

  read(signal: AbortSignal): Promise<KubernetesObject | undefined> {
    return this.client.find(this.#path(), { signal });
  }

  /** Creates it, waiting a little for its namespace. @throws if it exists or has unknown fields. */
  create(inputs: PropertyMap, options: RequestOptions): Promise<KubernetesObject> {
    const { operation, dryRun } = options;
    const request = requestOf(inputs, options);
    const path = objectPath(this.kind, this.namespace);
    return pRetry(() => this.client.request<KubernetesObject>("POST", path, request), {
      retries: dryRun ? 0 : NAMESPACE_RETRIES,
      signal: operation.signal,
      shouldRetry: ({ error }) => hasStatus(error, 404),
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (hasStatus(error, 404) && retriesLeft > 0) {
          operation.progress(`Retry #${attemptNumber}; creation failed: ${error.message}`);
        }
      },
    });
  }

  /** Server-side apply: sets the fields of the inputs, and keeps the fields that others set. */
  async apply(inputs: PropertyMap, options: RequestOptions): Promise<KubernetesObject> {
    const { query, ...request } = requestOf(inputs, options);
    return this.client.request("PATCH", this.#path(), {
      ...request,
      query: { ...query, force: String(options.force) },
      contentType: "application/apply-patch+yaml",
    });
  }

  async applyOver(inputs: PropertyMap, options: RequestOptions): Promise<KubernetesObject> {
    const live = await this.read(options.operation.signal);
    if (live === undefined) {
      throw new Error(
        `it is not in the cluster any more; run "pulumi refresh" and then this again`,
      );
    }
    const managedFields = appliedFields(live, options.fieldManager);
    const created = managedFields !== undefined;
    if (created && !options.dryRun) await this.#adoptCreatedFields(live, managedFields, options);
    try {
      // A dry run must not adopt, and would conflict with its own creation.
      const force = options.force || (created && options.dryRun);
      return await this.apply(inputs, { ...options, force });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "Conflict") throw error;
      throw new Error(
        `Server-Side Apply field conflict: ${error.message}. Take the fields over with the annotation pulumi.com/patchForce: "true", or leave them out`,
      );
    }
  }

  /**
   * Makes the fields that were set when the object was created count as applied. Otherwise an apply would not remove
   * them, and would conflict with the creation.
   */
  async #adoptCreatedFields(
    live: KubernetesObject,
    managedFields: readonly ManagedFields[],
    options: RequestOptions,
  ): Promise<void> {
    await this.client.request("PATCH", this.#path(), {
      contentType: "application/merge-patch+json",
      // With the version, so that nothing that changed in between is overwritten.
      body: { metadata: { managedFields, resourceVersion: live.metadata?.resourceVersion } },
      signal: options.operation.signal,
    });
  }

  /** Starts the deletion; resolves to false if there was nothing to delete. */
  delete(signal: AbortSignal): Promise<boolean> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Foreground" };
    return this.client.delete(this.#path(), { body, signal });
  }

  #path(): string {
    return objectPath(this.kind, this.namespace, this.name);
  }
}

function requestOf(inputs: PropertyMap, { operation, fieldManager, dryRun }: RequestOptions) {
  return {
    query: { fieldManager, fieldValidation: "Strict", ...(dryRun && { dryRun: "All" }) },
    body: reveal(inputs),
    signal: operation.signal,
    warn: (warning) => operation.log("warning", warning),
  } satisfies ApiRequest;
}

/** The managed fields with those from the object's creation turned into applied ones; undefined if there are none. */
function appliedFields(
  live: KubernetesObject,
  fieldManager: string,
): readonly ManagedFields[] | undefined {
  const fields = live.metadata?.managedFields ?? [];
  const isCreation = ({ manager, operation, subresource = "" }: ManagedFields): boolean =>
    manager === fieldManager && operation === "Update" && subresource === "";
  const isApplied = (entry: ManagedFields): boolean =>
    entry.manager === fieldManager && entry.operation === "Apply";
  if (!fields.some(isCreation)) return undefined;
  // After an apply, the entry of the creation no longer matters.
  if (fields.some(isApplied)) return fields.filter((entry) => !isCreation(entry));
  return fields.map((entry) => (isCreation(entry) ? { ...entry, operation: "Apply" } : entry));
}
