import * as z from "zod";

import { askDocker, DockerError, type DockerRequest } from "../../../host/docker-engine.ts";
import { messageOf } from "../../../host/failure.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { checkProperties, type Properties } from "../protocol/property-shape.ts";
import { diffProperties } from "../protocol/property-diff.ts";
import { type PropertyMap, reveal, scalarText, unknown } from "../protocol/property-value.ts";
import { notCovered, type ResourceType } from "../protocol/resource-type.ts";

/** Longest wait for containers to leave a network. After that, something else uses it. */
const leaveSeconds = 30;

const text = { shape: { kind: "string" } } as const;
const uncovered = { shape: { kind: "notCovered" } } as const;
const objects = (of: Properties) =>
  ({ shape: { kind: "list", of: { kind: "object", of } } }) as const;

const networkProperties: Properties = {
  name: { ...text, required: true },
  driver: { ...text, default: "bridge" },
  options: { shape: { kind: "map", of: { kind: "string" } } },
  labels: objects({ label: { ...text, required: true }, value: { ...text, required: true } }),
  ipamConfigs: objects({ subnet: text, gateway: text, ipRange: text, auxAddress: uncovered }),
  attachable: uncovered,
  ingress: uncovered,
  internal: uncovered,
  ipamDriver: uncovered,
  ipamOptions: uncovered,
  ipv6: uncovered,
};

/** Outputs that the official plugin adds. */
const outputs = {
  attachable: false,
  ingress: false,
  internal: false,
  ipamDriver: "default",
  ipv6: false,
};

const inputsSchema = z.object({
  name: z.string(),
  driver: z.string(),
  options: z.record(z.string(), z.string()).optional(),
  labels: z.array(z.object({ label: z.string(), value: z.string() })).default([]),
  ipamConfigs: z
    .array(
      z.object({
        subnet: z.string().optional(),
        gateway: z.string().optional(),
        ipRange: z.string().optional(),
      }),
    )
    .default([]),
});

/** `docker.Network` of the engine at `host()`. Docker changes no network, so every change replaces it. */
export function networkType(host: () => string): ResourceType {
  const ask = (path: string, request: DockerRequest): Promise<unknown> =>
    askDocker(host(), `/networks/${path}`, request);
  const find = async (id: string, signal: AbortSignal): Promise<boolean> => {
    try {
      await ask(encodeURIComponent(id), { signal });
      return true;
    } catch (error) {
      if (error instanceof DockerError && error.status === 404) return false;
      throw error;
    }
  };

  return {
    check: (news) => checkProperties("docker", networkProperties, news),
    diff({ oldInputs, news }) {
      const changes = diffProperties(oldInputs, news);
      return {
        changes: changes.map((change) => ({ ...change, replaces: true })),
        // Docker has one network of a name.
        deleteBeforeReplace: scalarText(oldInputs["name"]) === scalarText(news["name"]),
      };
    },
    async create({ inputs, preview }, { signal }) {
      if (preview)
        return { id: "", properties: { ...inputs, ...outputs, id: unknown, scope: unknown } };
      const answer = await ask("create", { method: "POST", body: createBody(inputs), signal });
      const { Id: id } = z.object({ Id: z.string() }).parse(answer);
      return { id, properties: { ...inputs, ...outputs, id, scope: "local" } };
    },
    async read({ id, inputs, state }, { signal }) {
      if (!(await find(id, signal))) return undefined;
      if (inputs["name"] === undefined)
        throw new Error(notCovered("docker", "importing a network"));
      return { inputs, state };
    },
    update: () => Promise.reject(new Error("Docker changes no network")),
    async delete(olds, operation) {
      const { signal } = operation;
      const onChange = (seen: string): void => operation.progress(seen);
      const id = scalarText(olds["id"]) ?? "";
      const what = `the Docker network ${scalarText(olds["name"])} to be removed`;
      await waitUntil({ what, timeoutSeconds: leaveSeconds, onChange, signal }, () =>
        ask(encodeURIComponent(id), { method: "DELETE", signal }).then(
          () => undefined,
          async (error: unknown) => ((await find(id, signal)) ? messageOf(error) : undefined),
        ),
      );
    },
  };
}

/** Body of `POST /networks/create`: https://docs.docker.com/reference/api/engine/version/v1.47/#tag/Network */
function createBody(inputs: PropertyMap): object {
  const { name, driver, options, labels, ipamConfigs } = inputsSchema.parse(reveal(inputs));
  return {
    Name: name,
    // Engines before 25 allow two networks of one name unless they are asked.
    CheckDuplicate: true,
    Driver: driver,
    Options: options,
    Labels: Object.fromEntries(labels.map(({ label, value }) => [label, value])),
    IPAM: {
      Config: ipamConfigs.map(({ subnet, gateway, ipRange }) => ({
        Subnet: subnet,
        Gateway: gateway,
        IPRange: ipRange,
      })),
    },
  };
}
