/**
 * The shape of what an API server answers, as far as anything here reads it. All fields may be missing, and null is the same
 * (Go writes it for an empty list); a field of another type is none of Kubernetes' objects.
 */
import * as z from "zod";

/** A field that may be missing or null. */
const maybe = <T>(schema: z.ZodType<T>) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A field that the reader takes for granted. */
const part = <T extends object>(schema: z.ZodType<T>) =>
  schema.nullish().transform((value) => value ?? {});

/** A list that the reader takes for granted. */
const list = <T>(schema: z.ZodType<T>) =>
  z
    .array(schema)
    .nullish()
    .transform((value) => value ?? []);

const text = maybe(z.string());
const number = maybe(z.number());
const texts = maybe(z.array(z.string()));
const map = maybe(z.record(z.string(), z.string()));
const object = maybe(z.looseObject({}));
const objects = <T extends z.ZodRawShape>(shape: T) => maybe(z.array(z.looseObject(shape)));

const metadata = maybe(
  z.looseObject({
    name: text,
    namespace: text,
    uid: text,
    generation: number,
    resourceVersion: text,
    creationTimestamp: text,
    deletionTimestamp: text,
    labels: map,
    annotations: map,
    finalizers: texts,
    ownerReferences: objects({ uid: text, kind: text, name: text }),
  }),
);

const conditions = objects({ type: text, status: text, reason: text, message: text });

const state = maybe(
  z.looseObject({
    waiting: maybe(z.looseObject({ reason: text, message: text })),
    terminated: maybe(z.looseObject({ exitCode: number, reason: text, message: text })),
  }),
);

const containerStatuses = objects({ name: text, image: text, state, lastState: state });

const containers = objects({
  name: text,
  image: text,
  command: texts,
  args: texts,
  env: objects({ name: text, value: text }),
});

const podSpec = maybe(
  z.looseObject({
    nodeName: text,
    nodeSelector: map,
    containers,
    initContainers: containers,
    tolerations: objects({}),
    volumes: objects({}),
    affinity: maybe(
      z.looseObject({
        nodeAffinity: maybe(
          z.looseObject({
            requiredDuringSchedulingIgnoredDuringExecution: maybe(
              z.looseObject({
                nodeSelectorTerms: objects({ matchExpressions: objects({ key: text }) }),
              }),
            ),
          }),
        ),
      }),
    ),
  }),
);

/** Fields besides the metadata, by the resource's name in paths. */
const shapes: Readonly<Record<string, z.ZodRawShape>> = {
  nodes: {
    spec: maybe(
      z.looseObject({
        podCIDR: text,
        podCIDRs: texts,
        providerID: text,
        unschedulable: maybe(z.boolean()),
        taints: objects({ key: text, value: text, effect: text }),
      }),
    ),
    status: maybe(
      z.looseObject({
        conditions,
        addresses: objects({ type: z.string(), address: z.string() }),
        nodeInfo: maybe(
          z.looseObject({
            operatingSystem: text,
            osImage: text,
            kernelVersion: text,
            kubeletVersion: text,
            containerRuntimeVersion: text,
          }),
        ),
      }),
    ),
  },
  pods: {
    spec: podSpec,
    status: maybe(
      z.looseObject({
        phase: text,
        reason: text,
        message: text,
        podIP: text,
        conditions,
        containerStatuses,
        initContainerStatuses: containerStatuses,
      }),
    ),
  },
  daemonsets: {
    spec: maybe(
      z.looseObject({
        selector: part(z.looseObject({ matchLabels: map })),
        template: part(z.looseObject({ metadata, spec: podSpec })),
      }),
    ),
    status: object,
  },
  controllerrevisions: { revision: number },
  configmaps: { data: map },
  secrets: { data: map, type: text },
  events: {
    type: text,
    reason: text,
    message: text,
    lastTimestamp: text,
    eventTime: text,
    involvedObject: maybe(z.looseObject({ kind: text, name: text })),
  },
  endpointslices: {
    addressType: text,
    endpoints: objects({ addresses: list(z.string()), conditions: object }),
    ports: objects({ name: text, port: number }),
  },
  services: {
    spec: maybe(
      z.looseObject({
        clusterIP: text,
        clusterIPs: texts,
        selector: map,
        ports: objects({ name: text, port: number }),
      }),
    ),
  },
  installations: {
    spec: maybe(
      z.looseObject({
        serviceCIDRs: texts,
        calicoNetwork: maybe(z.looseObject({ bgp: text, windowsDataplane: text })),
      }),
    ),
    status: maybe(z.looseObject({ conditions })),
  },
  tigerastatuses: { status: maybe(z.looseObject({ conditions })) },
  ippools: {
    spec: maybe(z.looseObject({ cidr: text, vxlanMode: text, ipipMode: text })),
  },
};

const others = { spec: object, status: object };

function schemaOf(resource: string, isList: boolean): z.ZodType {
  const one = z.looseObject({ metadata, ...(shapes[resource] ?? others) });
  // An empty list may be null, but a list without its field is none.
  const items = z
    .array(one)
    .nullable()
    .transform((all) => all ?? []);
  return isList ? z.looseObject({ metadata, items }) : one;
}

/** What is no object of a resource: the API server itself, its groups, and the resources of a group. */
const about = z.looseObject({
  gitVersion: text,
  groups: objects({ name: text }),
  resources: objects({ name: text }),
});

const known = new Map<string, z.ZodType>();

/** `/api/v1/...` and `/apis/<group>/<version>/...`: a resource, or one object of it, perhaps in a namespace. */
const objectPath =
  /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/[^/]))?\/([^/]+)(\/[^/]+)?$/;

/**
 * The answer to a GET request, with nulls left out.
 *
 * @param path of the request; its query does not matter.
 * @throws with the place where the answer is none of Kubernetes' objects.
 */
export function apiObject(path: string, answer: unknown): unknown {
  const [, resource, name] = objectPath.exec(path.replace(/\?.*$/s, "")) ?? [];
  const key = `${resource ?? ""}${name === undefined ? "" : "/"}`;
  const schema =
    known.get(key) ?? (resource === undefined ? about : schemaOf(resource, name === undefined));
  known.set(key, schema);
  return asSchema(schema, answer, `the API server's answer to ${path}`);
}

/** A list of nodes in JSON, as `kubectl get nodes -o json` prints it. @throws as `apiObject`, also for what is no JSON. */
export function nodeList(json: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error("the list of nodes is not JSON");
  }
  return asSchema(schemaOf("nodes", true), value, "the list of nodes");
}

function asSchema(schema: z.ZodType, value: unknown, what: string): unknown {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return withoutUndefined(data);
  const [{ path = [], message = "" } = {}] = error.issues;
  const place = path.length === 0 ? "the whole of it" : path.map(String).join(".").slice(0, 200);
  throw new Error(`${what} is none of Kubernetes' objects: ${place}: ${message}`);
}

/** Removes the fields that were null, in place: JSON itself has no undefined. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(fields)) {
    if (field === undefined) delete fields[name];
    else withoutUndefined(field);
  }
  return value;
}
