import { type PropertyMap, reveal } from "../protocol/property-value.ts";
import { type ApiClient, ApiError } from "./api-client.ts";
import { type Kind, objectPath } from "./kinds.ts";
import type { KubernetesObject, ManagedFields } from "./object.ts";

/** How one request is made. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Name under which the API server notes who set which field. */
  readonly fieldManager: string;
  /** The API server checks everything and changes nothing. */
  readonly dryRun: boolean;
  readonly warn: (warning: string) => void;
}

/** One object of the cluster: where it is and what can be done with it. */
export class ClusterObject {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly #client: ApiClient;

  constructor(client: ApiClient, kind: Kind, namespace: string, name: string) {
    this.#client = client;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
  }

  /** Id of its resource, as the official plugin writes it: `namespace/name`, or `name` where it has no namespace. */
  get id(): string {
    return this.kind.namespaced ? `${this.namespace}/${this.name}` : this.name;
  }

  /** Kind and id, for messages. */
  get title(): string {
    return `${this.kind.kind} ${this.id}`;
  }

  /** The live object, or undefined when there is none. */
  async read(signal: AbortSignal): Promise<KubernetesObject | undefined> {
    try {
      return await this.#client.request({ method: "GET", path: this.#path(), signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Makes it; an error when it exists. Fields the API server does not know are an error too. */
  async create(inputs: PropertyMap, options: RequestOptions): Promise<KubernetesObject> {
    return this.#client.request({
      method: "POST",
      path: objectPath(this.kind, this.namespace),
      query: query(options),
      body: reveal(inputs),
      signal: options.signal,
      warn: options.warn,
    });
  }

  /**
   * Server-side apply: the object becomes what the inputs say, fields that others set stay.
   * @param force take over fields that others manage, instead of an error
   */
  async apply(
    inputs: PropertyMap,
    force: boolean,
    options: RequestOptions,
  ): Promise<KubernetesObject> {
    return this.#client.request({
      method: "PATCH",
      path: this.#path(),
      query: { ...query(options), force: String(force) },
      contentType: "application/apply-patch+yaml",
      body: reveal(inputs),
      signal: options.signal,
      warn: options.warn,
    });
  }

  /**
   * Makes the fields that were set when the object was created count as applied ones: an apply would otherwise not
   * remove them, and would conflict with its own earlier request.
   */
  async adoptCreatedFields(live: KubernetesObject, options: RequestOptions): Promise<void> {
    const managedFields = appliedFields(live, options.fieldManager);
    if (managedFields === undefined) return;
    await this.#client.request({
      method: "PATCH",
      path: this.#path(),
      contentType: "application/merge-patch+json",
      // With the version, so that nothing is overwritten that changed in between.
      body: { metadata: { managedFields, resourceVersion: live.metadata?.resourceVersion } },
      signal: options.signal,
    });
  }

  /** Starts the deletion; resolves to false when there was nothing to delete. */
  async delete(propagationPolicy: string, signal: AbortSignal): Promise<boolean> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy };
    try {
      await this.#client.request({ method: "DELETE", path: this.#path(), body, signal });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    }
  }

  #path(): string {
    return objectPath(this.kind, this.namespace, this.name);
  }
}

function query(options: RequestOptions): Record<string, string> {
  return {
    fieldManager: options.fieldManager,
    fieldValidation: "Strict",
    ...(options.dryRun ? { dryRun: "All" } : {}),
  };
}

/** Whether the object still has fields that a manager set by creating it. */
export function hasCreatedFields(live: KubernetesObject, fieldManager: string): boolean {
  return appliedFields(live, fieldManager) !== undefined;
}

function appliedFields(
  live: KubernetesObject,
  fieldManager: string,
): readonly ManagedFields[] | undefined {
  const fields = live.metadata?.managedFields ?? [];
  const isCreation = (entry: ManagedFields): boolean =>
    entry.manager === fieldManager &&
    entry.operation === "Update" &&
    (entry.subresource ?? "") === "";
  const isApplied = (entry: ManagedFields): boolean =>
    entry.manager === fieldManager && entry.operation === "Apply";
  if (!fields.some(isCreation)) return undefined;
  // Once applied, the entry of the creation holds nothing that matters any more.
  if (fields.some(isApplied)) return fields.filter((entry) => !isCreation(entry));
  return fields.map((entry) => (isCreation(entry) ? { ...entry, operation: "Apply" } : entry));
}
