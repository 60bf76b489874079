import { createHash } from "node:crypto";
import { type DockerEngine, DockerError } from "../../host/docker-engine.ts";
import type { Operation } from "../protocol/operation.ts";
import { diffProperties } from "../protocol/property-diff.ts";
import { checkProperties } from "../protocol/property-shape.ts";
import {
  isAbsent,
  isList,
  isPlainMap,
  type PropertyMap,
  type PropertyValue,
  sameValue,
  unknown,
} from "../protocol/property-value.ts";
import type { ResourceType } from "../protocol/resource-type.ts";
import {
  createBody,
  type InspectedNetwork,
  liveInputs,
  networkProperties,
  networkState,
} from "./network-state.ts";

/** Key under which the official plugin keeps, at every level, the names of the inputs that it filled in itself. */
const DEFAULTS = "__defaults";

/** Containers need a moment to leave a network; longer than this and something else holds it. */
const LEAVE_SECONDS = 30;

/** `docker.Network`: a network of the Docker engine. Every change replaces it. */
export function networkType(api: () => DockerEngine): ResourceType {
  const inspect = async (
    id: string,
    signal: AbortSignal,
  ): Promise<InspectedNetwork | undefined> => {
    try {
      const path = `/networks/${encodeURIComponent(id)}`;
      return (await api().request("GET", path, { signal })) as InspectedNetwork;
    } catch (error) {
      if (error instanceof DockerError && error.status === 404) return undefined;
      throw error;
    }
  };

  return {
    check({ name, olds, news, randomSeed }) {
      const given = withoutDefaults(news);
      const checked = checkProperties("docker", networkProperties, given);
      if (!isAbsent(given["name"])) {
        return { ...checked, inputs: { ...checked.inputs, [DEFAULTS]: [] } };
      }
      const madeUp = isMadeUp(olds) ? olds["name"] : undefined;
      const inputs = {
        ...checked.inputs,
        name: madeUp ?? `${name}-${randomSuffix(randomSeed)}`,
        [DEFAULTS]: ["name"],
      };
      return { ...checked, inputs };
    },
    diff({ oldInputs, olds, news }) {
      // What the program no longer asks for counts too, hence the old inputs.
      const live = liveInputs(withoutDefaults(oldInputs), olds);
      const changes = diffProperties(live, withoutDefaults(news)).map((change) => ({
        ...change,
        replaces: true,
      }));
      const sameName = sameValue(oldInputs["name"], news["name"]);
      return { changes, deleteBeforeReplace: sameName };
    },
    async create({ inputs, preview }, { signal }) {
      if (preview) return { id: "", properties: previewState(inputs) };
      const body = createBody(inputs);
      const answer = await api().request("POST", "/networks/create", { body, signal });
      const { Id: id } = answer as { Id: string };
      const found = await inspect(id, signal);
      if (found === undefined) throw new Error(`network ${id} vanished right after it was made`);
      return { id, properties: networkState(found) };
    },
    async read({ id, inputs, state }, { signal }) {
      const found = await inspect(id, signal);
      if (found === undefined) return undefined;
      const live = networkState(found);
      if (inputs !== undefined) return { inputs: liveInputs(inputs, live), state: live };
      const asked = isAbsent(state["name"]) ? { name: found.Name } : {};
      return { inputs: { ...asked, [DEFAULTS]: [] }, state: live };
    },
    update: ({ id }) => Promise.reject(new Error(`network ${id} cannot be changed in place`)),
    async delete({ id }, operation) {
      await remove(api(), id, operation, () => inspect(id, operation.signal));
    },
  };
}

async function remove(
  api: DockerEngine,
  id: string,
  operation: Operation,
  inspect: () => Promise<InspectedNetwork | undefined>,
): Promise<void> {
  const { signal } = operation;
  const end = Date.now() + LEAVE_SECONDS * 1000;
  for (;;) {
    try {
      await api.request("DELETE", `/networks/${encodeURIComponent(id)}`, { signal });
      return;
    } catch (error) {
      if (!(error instanceof DockerError)) throw error;
      if (error.status === 404) return;
      if (!error.message.includes("active endpoints")) throw error;
      const users = Object.values((await inspect())?.Containers ?? {}).map(({ Name }) => Name);
      if (Date.now() > end || signal.aborted) {
        throw new Error(
          `${error.message}; waited ${String(LEAVE_SECONDS)} s for ${users.join(", ")} to leave it (docker rm --force removes a container)`,
        );
      }
      operation.progress(`waiting for ${users.join(", ")} to leave the network`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

function isMadeUp(inputs: PropertyMap): boolean {
  const defaults = inputs[DEFAULTS];
  return isList(defaults) && defaults.includes("name");
}

/** The same in preview and update, since the engine gives both the same seed. */
function randomSuffix(seed: Uint8Array): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, 7);
}

function previewState(inputs: PropertyMap): PropertyMap {
  const outputs = Object.keys(networkProperties).filter((name) => isAbsent(inputs[name]));
  return {
    ...withoutDefaults(inputs),
    ...Object.fromEntries(outputs.map((name) => [name, unknown])),
    scope: unknown,
  };
}

/** The inputs as the program gave them, in a state that either plugin wrote. */
export function withoutDefaults(inputs: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([name]) => name !== DEFAULTS)
      .map(([name, value]) => [name, value === undefined ? undefined : strip(value)]),
  );
}

function strip(value: PropertyValue): PropertyValue {
  if (isList(value)) return value.map(strip);
  return isPlainMap(value) ? withoutDefaults(value) : value;
}
