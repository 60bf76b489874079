import type { Operation } from "../protocol/operation.ts";
import type { PropertyMap } from "../protocol/property-value.ts";
import { ApiClient, ApiError } from "./api-client.ts";
import { type Awaited, awaitGone, awaitReady } from "./await-ready.ts";
import { ClusterObject, hasCreatedFields, type RequestOptions } from "./cluster-object.ts";
import type { Kind } from "./kinds.ts";
import type { KubernetesObject } from "./object.ts";
import type { Settings } from "./settings.ts";

/** A namespace may be made at the same time: its absence is borne this often, with growing pauses. */
const NAMESPACE_ATTEMPTS = 5;

/** What can be done once there is a client for the API server. */
export class ConnectedCluster {
  readonly #client: ApiClient;

  constructor(settings: Settings) {
    this.#client = new ApiClient(settings);
  }

  object(kind: Kind, namespace: string, name: string): ClusterObject {
    return new ClusterObject(this.#client, kind, namespace, name);
  }

  awaitReady(
    target: ClusterObject,
    made: KubernetesObject,
    operation: Operation,
  ): Promise<Awaited> {
    return awaitReady(this.#client, target, made, operation);
  }

  awaitGone(target: ClusterObject, operation: Operation): Promise<void> {
    return awaitGone(this.#client, target, operation);
  }

  /** Makes an object, waiting a little for its namespace. */
  async createPatiently(
    target: ClusterObject,
    inputs: PropertyMap,
    options: RequestOptions,
    operation: Operation,
  ): Promise<KubernetesObject> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await target.create(inputs, options);
      } catch (error) {
        const missing = error instanceof ApiError && error.status === 404;
        const last = options.dryRun || attempt === NAMESPACE_ATTEMPTS || options.signal.aborted;
        if (!missing || last) throw error;
        operation.progress(`Retry #${String(attempt)}; creation failed: ${error.message}`);
        await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
      }
    }
  }

  /** Applies inputs to an object that exists. */
  async applyOver(
    target: ClusterObject,
    inputs: PropertyMap,
    force: boolean,
    options: RequestOptions,
  ): Promise<KubernetesObject> {
    const live = await target.read(options.signal);
    if (live === undefined) {
      throw new Error(
        `it is not in the cluster any more; run "pulumi refresh" and then this again`,
      );
    }
    const created = hasCreatedFields(live, options.fieldManager);
    if (created && !options.dryRun) await target.adoptCreatedFields(live, options);
    try {
      // A dry run must not adopt, and would conflict with its own creation.
      return await target.apply(inputs, force || (created && options.dryRun), options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "Conflict") throw error;
      throw new Error(
        `Server-Side Apply field conflict: ${error.message}. Take the fields over with the annotation pulumi.com/patchForce: "true", or leave them out`,
      );
    }
  }
}
