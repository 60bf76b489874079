import { randomBytes } from "node:crypto";
import type { Operation } from "../protocol/operation.ts";
import { checkProperties } from "../protocol/property-shape.ts";
import {
  isMap,
  type PropertyMap,
  type PropertyValue,
  reveal,
  unwrap,
} from "../protocol/property-value.ts";
import { redactor } from "../protocol/redaction.ts";
import type { ResourceType } from "../protocol/resource-type.ts";
import { diffInputs } from "./command-type.ts";
import { copyToRemoteProperties, propertiesToHide } from "./properties.ts";

/**
 * `command.remote.CopyToRemote`: copies a file or a folder. Copies again if the content or `remotePath` changes, but
 * not if only the connection does. Never deletes it on the host.
 */
export const copyToRemoteType: ResourceType = {
  check(news) {
    const checked = checkProperties("command", copyToRemoteProperties, news);
    const source = unwrap(checked.inputs["source"]);
    const isThere = !isMap(source) || typeof source["path"] === "string";
    const reason = "must be a FileAsset or a FileArchive: others are not covered";
    const failures = isThere ? [] : [{ property: "source", reason }];
    return { inputs: checked.inputs, failures: [...checked.failures, ...failures] };
  },
  diff: ({ olds, news }) => diffInputs(copyToRemoteProperties, olds, news),
  async create({ inputs, preview }, operation) {
    if (preview) return { id: "", properties: inputs };
    await copy(inputs, operation);
    return { id: randomBytes(4).toString("hex"), properties: inputs };
  },
  read: ({ inputs, state }) => Promise.resolve({ inputs, state }),
  async update({ olds, news, preview }, operation) {
    const same =
      hashOf(olds) === hashOf(news) &&
      reveal(olds["remotePath"] ?? null) === reveal(news["remotePath"] ?? null);
    if (!preview && !same) await copy(news, operation);
    return news;
  },
  delete: () => Promise.resolve(),
};

function hashOf(properties: PropertyMap): PropertyValue | undefined {
  const source = unwrap(properties["source"]);
  return isMap(source) ? source["hash"] : undefined;
}

async function copy(inputs: PropertyMap, operation: Operation): Promise<void> {
  const redact = redactor(propertiesToHide(inputs));
  const plain = reveal(inputs) as PropertyMap;
  const { connection, source, remotePath } = plain;
  const file = isMap(source) ? source["path"] : undefined;
  if (!isMap(connection) || typeof file !== "string" || typeof remotePath !== "string") {
    throw new Error("connection, source and remotePath must be known before anything is copied");
  }
  // Loaded only when needed, because a preview is faster without the SSH library.
  const { connected } = await import("./run-remotely.ts");
  const { uploadSource } = await import("../../../host/ssh/upload.ts");
  await connected(connection, operation, redact, (client) =>
    uploadSource(client, { path: file }, remotePath, operation.signal),
  );
}
