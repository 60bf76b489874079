import pRetry from "p-retry";
import {
  ApiError,
  type ApiRequest,
  type ClusterApi,
  hasStatus,
} from "../../kubernetes/cluster-api.ts";
import type { Operation } from "../protocol/operation.ts";
import { type PropertyMap, reveal } from "../protocol/property-value.ts";
import { type Kind, objectPath } from "./kinds.ts";
import type { KubernetesObject, ManagedFields } from "./object.ts";

/** A namespace may be made at the same time: its absence is borne this often, with growing pauses. */
const NAMESPACE_RETRIES = 4;

export interface RequestOptions {
  readonly operation: Operation;
  /** Name under which the API server notes who set which field. */
  readonly fieldManager: string;
  /** The API server checks everything and changes nothing. */
  readonly dryRun: boolean;
  /** Fields that others manage are taken over, which is an error otherwise. */
  readonly force: boolean;
}

/** One object of the cluster: where it is and what can be done with it. */
export class ClusterObject {
  constructor(
    readonly client: ClusterApi,
    readonly kind: Kind,
    readonly namespace: string,
    readonly name: string,
  ) {}

  /** Id of its resource, as the official plugin writes it: `namespace/name`, or `name` where it has no namespace. */
  get id(): string {
    return this.kind.namespaced ? `${this.namespace}/${this.name}` : this.name;
  }

  get title(): string {
    return `${this.kind.kind} ${this.id}`;
  }

  read(signal: AbortSignal): Promise<KubernetesObject | undefined> {
    return this.client.find(this.#path(), { signal });
  }

  /**
   * Makes it, waiting a little for its namespace; an error when it exists. Fields the API server does not know are an
   * error too.
   */
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

  /** Server-side apply: the object becomes what the inputs say, fields that others set stay. */
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
   * Makes the fields that were set when the object was created count as applied ones: an apply would otherwise not
   * remove them, and would conflict with its own earlier request.
   */
  async #adoptCreatedFields(
    live: KubernetesObject,
    managedFields: readonly ManagedFields[],
    options: RequestOptions,
  ): Promise<void> {
    await this.client.request("PATCH", this.#path(), {
      contentType: "application/merge-patch+json",
      // With the version, so that nothing is overwritten that changed in between.
      body: { metadata: { managedFields, resourceVersion: live.metadata?.resourceVersion } },
      signal: options.operation.signal,
    });
  }

  /** Starts the deletion; resolves to false when there was nothing to delete. */
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

/** Who manages what once the fields that a manager set by creating it count as applied; undefined where there are none. */
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
  // Once applied, the entry of the creation holds nothing that matters any more.
  if (fields.some(isApplied)) return fields.filter((entry) => !isCreation(entry));
  return fields.map((entry) => (isCreation(entry) ? { ...entry, operation: "Apply" } : entry));
}
