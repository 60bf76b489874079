import { randomBytes } from "node:crypto";
import type { Operation } from "../protocol/operation.ts";
import {
  containsUnknown,
  omit,
  type PropertyMap,
  scalarText,
  unknown,
  sameValue,
  unwrap,
  containsSecret,
  isList,
  isPlainMap,
  type PropertyValue,
  reveal,
  secret,
} from "../protocol/property-value.ts";
import { redactor } from "../protocol/redaction.ts";
import {
  type Difference,
  InitializationFailed,
  notCovered,
  type ResourceType,
} from "../protocol/resource-type.ts";
import { awaitGone, awaitReady } from "./await-ready.ts";
import { annotationOf, checkObject, metadataOf } from "./checked-inputs.ts";
import type { Cluster } from "./cluster.ts";
import type { ClusterObject, RequestOptions } from "./cluster-object.ts";
import { type Kind, replacingPaths } from "./kinds.ts";
import { ANNOTATION, type KubernetesObject } from "./object.ts";
import { readiness } from "./readiness.ts";
import { diffProperties, type PropertyChange } from "../protocol/property-diff.ts";

/** Prefix of field managers' names, as in the official plugin. */
const MANAGER_PREFIX = "pulumi-kubernetes-";

export function objectType(kind: Kind, cluster: Cluster): ResourceType {
  const targetOf = (inputs: PropertyMap): ClusterObject => {
    const { namespace, name } = metadataOf(inputs);
    return cluster.object(kind, scalarText(namespace) ?? "default", scalarText(name) ?? "");
  };
  /** Creates or updates the object and waits for it. If it never becomes ready, it is kept with its error. */
  const perform = async (
    done: "created" | "updated",
    { olds, news, preview }: Parameters<ResourceType["update"]>[0],
    operation: Operation,
    request: (target: ClusterObject, options: RequestOptions) => Promise<KubernetesObject>,
  ): Promise<PropertyMap> => {
    const fieldManager =
      annotationOf(news, ANNOTATION.patchFieldManager) ??
      scalarText(olds[FIELD_MANAGER]) ??
      `${MANAGER_PREFIX}${randomBytes(4).toString("hex")}`;
    const force = annotationOf(news, ANNOTATION.patchForce) === "true";
    const target = targetOf(news);
    const attempt = (): Promise<KubernetesObject> =>
      request(target, { operation, fieldManager, force, dryRun: preview });
    if (preview) return previewState(await cluster.preview(news, attempt), news);
    const redact = redactor(news);
    const made = await attempt().catch((error: unknown) => {
      throw new Error(redact(`${target.title} was not ${done}: ${(error as Error).message}`));
    });
    const { live, failure } = await awaitReady(target, made, operation);
    const state = objectState(live, news, fieldManager);
    if (failure === undefined) return state;
    throw new InitializationFailed(target.id, state, news, redact(failure));
  };

  return {
    check: (news) => checkObject(kind, news),
    diff: ({ oldInputs, news }) => diffObject(kind, oldInputs, news),
    async create({ inputs, preview }, operation) {
      const request = { olds: {}, news: inputs, preview };
      const properties = await perform("created", request, operation, (target, options) =>
        cluster.settings.upsert ? target.apply(inputs, options) : target.create(inputs, options),
      );
      return { id: preview ? "" : targetOf(inputs).id, properties };
    },
    async read({ id, inputs, state }, operation) {
      if (Object.keys(inputs).length === 0) throw new Error(notCovered("kubernetes", "an import"));
      const [name = "", namespace = "default"] = id.split("/").reverse();
      const target = cluster.object(kind, namespace, name);
      const live = await cluster.unlessGone(operation, () => target.read(operation.signal));
      if (live === undefined) return undefined;
      const newState = objectState(live, inputs, scalarText(state[FIELD_MANAGER]) ?? "");
      const newInputs = liveInputs(inputs, state, newState);
      const { state: now, message } = readiness(live);
      if (now === "ready" || annotationOf(inputs, ANNOTATION.skipAwait) === "true") {
        return { inputs: newInputs, state: newState };
      }
      throw new InitializationFailed(id, newState, newInputs, `${target.title}: ${message}`);
    },
    update: (request, operation) =>
      perform("updated", request, operation, (target, options) =>
        target.applyOver(request.news, options),
      ),
    async delete(olds, operation) {
      const target = targetOf(olds);
      const started = await cluster.unlessGone(operation, () => target.delete(operation.signal));
      if (started === true) await awaitGone(target, operation);
    },
  };
}

/** The state that a preview predicts: a dry run's result, without the fields that the API server sets each time. */
function previewState(made: KubernetesObject | undefined, inputs: PropertyMap): PropertyMap {
  if (made === undefined || containsUnknown(inputs)) return { ...inputs };
  const state = objectState(made, inputs, "");
  const object = omit(state, FIELD_MANAGER);
  const metadata = {
    ...metadataOf(object),
    uid: unknown,
    creationTimestamp: unknown,
    resourceVersion: unknown,
    generation: unknown,
  };
  return { ...object, metadata, status: unknown };
}

/**
 * What changed from the old inputs to the new ones, without a request to the API server. A refresh updates the old
 * inputs from the live object, so that drift shows here too.
 */
export function diffObject(kind: Kind, oldInputs: PropertyMap, news: PropertyMap): Difference {
  const replacing = replacingPaths(kind);
  const changes = diffProperties(oldInputs, news).map((change) => ({
    ...change,
    replaces: replacing.some((path) => touches(change, path)),
  }));
  const [before, after] = [metadataOf(oldInputs), metadataOf(news)];
  const sameIdentity =
    sameValue(before["name"], after["name"]) && sameValue(before["namespace"], after["namespace"]);
  return { changes, deleteBeforeReplace: sameIdentity };
}

/** Whether a change is at a path, below it, or above it. */
function touches(change: PropertyChange, path: readonly string[]): boolean {
  const length = Math.min(change.keys.length, path.length);
  return path.slice(0, length).every((key, index) => change.keys[index] === key);
}

/** Keys of the official plugin's own entries in the state, beside the live object. */
const FIELD_MANAGER = "__fieldManager";
const INITIAL_API_VERSION = "__initialApiVersion";

/**
 * The state of an object: the live object without managedFields, and the name of its field manager. What is secret in
 * the inputs is secret in the state.
 */
export function objectState(
  live: KubernetesObject,
  inputs: PropertyMap,
  fieldManager: string,
): PropertyMap {
  const metadata = omit((live.metadata ?? {}) as PropertyMap, "managedFields");
  const object = { ...(live as PropertyMap), metadata };
  const state: Record<string, PropertyValue | undefined> = {
    ...markSecrets(object, inputs),
    [FIELD_MANAGER]: fieldManager,
    [INITIAL_API_VERSION]: live.apiVersion ?? null,
  };
  const { data } = state;
  if (live.kind === "Secret" && data !== undefined) state["data"] = secret(data);
  return state;
}

/**
 * Marks in `object` what is secret in `inputs`. A list is marked as a whole, because the API server may reorder it.
 */
function markSecrets(object: PropertyMap, inputs: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const input = inputs[name];
      if (value === undefined || !containsSecret(input)) return [name, value];
      if (isPlainMap(value) && isPlainMap(input)) return [name, markSecrets(value, input)];
      return [name, secret(value)];
    }),
  );
}

/**
 * The inputs after a refresh, with the live object's values if those changed since the state was written. A value
 * that the API server writes differently (`1000m` as `1`) is not a change, because the state has the server's form
 * too.
 */
export function liveInputs(
  inputs: PropertyMap,
  state: PropertyMap,
  live: PropertyMap,
): PropertyMap {
  const result: Record<string, PropertyValue | undefined> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const value = liveValue(input, state[name], live[name]);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function liveValue(
  input: PropertyValue | undefined,
  before: PropertyValue | undefined,
  now: PropertyValue | undefined,
): PropertyValue | undefined {
  const [bareInput, bareBefore, bareNow] = [unwrap(input), unwrap(before), unwrap(now)];
  let value: PropertyValue | undefined;
  if (isPlainMap(bareInput) && isPlainMap(bareBefore) && isPlainMap(bareNow)) {
    value = liveInputs(bareInput, bareBefore, bareNow);
  } else if (isList(bareInput) && isList(bareNow) && bareInput.length === bareNow.length) {
    const befores = isList(bareBefore) ? bareBefore : [];
    value = bareInput.map(
      (element, index) => liveValue(element, befores[index], bareNow[index]) ?? null,
    );
  } else {
    const isSame = sameValue(reveal(bareBefore ?? null), reveal(bareNow ?? null));
    value = isSame ? bareInput : bareNow;
  }
  return input !== bareInput && value !== undefined ? secret(value) : value;
}
