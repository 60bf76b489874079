import pRetry from "p-retry";
import type { Operation } from "../protocol/operation.ts";
import type { PropertyMap } from "../protocol/property-value.ts";
import { ApiClient, ApiError } from "./api-client.ts";
import { type Awaited, awaitGone, awaitReady } from "./await-ready.ts";
import { ClusterObject, hasCreatedFields, type RequestOptions } from "./cluster-object.ts";
import type { Kind } from "./kinds.ts";
import type { KubernetesObject } from "./object.ts";
import type { Settings } from "./settings.ts";

/** A namespace may be made at the same time: its absence is borne this often, with growing pauses. */
const NAMESPACE_RETRIES = 4;

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
  createPatiently(
    target: ClusterObject,
    inputs: PropertyMap,
    options: RequestOptions,
    operation: Operation,
  ): Promise<KubernetesObject> {
    return pRetry(() => target.create(inputs, options), {
      retries: options.dryRun ? 0 : NAMESPACE_RETRIES,
      signal: options.signal,
      shouldRetry: ({ error }) => error instanceof ApiError && error.status === 404,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (error instanceof ApiError && error.status === 404 && retriesLeft > 0) {
          operation.progress(`Retry #${attemptNumber}; creation failed: ${error.message}`);
        }
      },
    });
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
