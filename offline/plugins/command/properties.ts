import type { Properties, Property } from "../protocol/property-shape.ts";
import {
  isMap,
  type PropertyMap,
  type PropertyValue,
  secret,
  unwrap,
} from "../protocol/property-value.ts";

const text: Property = { shape: { kind: "string" } };
const number: Property = { shape: { kind: "number" } };

/** Inputs that local and remote commands share. */
const command: Properties = {
  create: text,
  update: text,
  delete: text,
  triggers: { shape: { kind: "list", of: { kind: "any" } } },
  stdin: text,
  logging: { shape: { kind: "choice", of: ["stdout", "stderr", "stdoutAndStderr", "none"] } },
};

const uncovered: Property = { shape: { kind: "notCovered" } };

export const localCommandProperties: Properties = {
  ...command,
  environment: { shape: { kind: "map", of: { kind: "string" } } },
  addPreviousOutputInEnv: { shape: { kind: "boolean" }, default: true },
  dir: text,
  interpreter: uncovered,
  assetPaths: uncovered,
  archivePaths: uncovered,
};

const endpoint: Properties = {
  host: { ...text, required: true },
  port: { ...number, default: 22 },
  user: { ...text, default: "root" },
  password: uncovered,
  privateKey: text,
  privateKeyPassword: text,
  agentSocketPath: uncovered,
  // Optional in the official plugin, which accepts any host key then.
  hostKey: { ...text, required: true },
  dialErrorLimit: { ...number, default: 10 },
  perDialTimeout: { ...number, default: 15 },
};

const connection: Property = {
  shape: {
    kind: "object",
    of: { ...endpoint, proxy: { shape: { kind: "object", of: endpoint } } },
  },
  required: true,
  secret: true,
};

/** Inputs of `command.remote.Command`. No environment: SSH servers refuse most variables. */
export const remoteCommandProperties: Properties = {
  ...command,
  environment: uncovered,
  addPreviousOutputInEnv: { shape: { kind: "choice", of: [false] }, required: true },
  connection,
};

export const copyToRemoteProperties: Properties = {
  connection,
  source: { shape: { kind: "asset" }, required: true },
  remotePath: { ...text, required: true },
  triggers: { shape: { kind: "list", of: { kind: "any" } } },
};

/** The secret parts of a connection. Its address may be shown, although the whole connection is a secret input. */
const secretParts: readonly string[] = ["privateKey", "privateKeyPassword"];

/** The properties whose secrets are redacted: of a connection only its secret parts. */
export function propertiesToHide(properties: PropertyMap): PropertyMap {
  const whole = unwrap(properties["connection"]);
  if (!isMap(whole)) return properties;
  return { ...properties, connection: [hiddenParts(whole), hiddenParts(unwrap(whole["proxy"]))] };
}

function hiddenParts(endpoint: PropertyValue | undefined): PropertyValue {
  if (!isMap(endpoint)) return null;
  return secretParts.map((name) => secret(endpoint[name] ?? null));
}
