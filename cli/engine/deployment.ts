import * as z from "zod";

import { Failure } from "../../host/failure.ts";
import { checked, checkedJson } from "../../toolchain/parse-json.ts";

/** A resource in the engine's state. Unlisted fields are kept as they are. */
const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  custom: z.boolean().optional(),
  /** The old half of a replacement, which is to be deleted. */
  delete: z.boolean().optional(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  parent: z.string().optional(),
  /** `urn::id` of the provider resource. */
  provider: z.string().optional(),
  dependencies: z.array(z.string()).nullish(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
  deletedWith: z.string().optional(),
  replaceWith: z.array(z.string()).nullish(),
});

const operationSchema = z.looseObject({
  resource: resourceSchema,
  type: z.enum(["creating", "updating", "deleting", "reading", "importing"]),
});

const deploymentSchema = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(operationSchema).nullish(),
  }),
});

export type StateResource = z.infer<typeof resourceSchema>;
type PendingOperation = z.infer<typeof operationSchema>;

/** What `pulumi stack export` prints and `pulumi stack import` takes; secrets in it are encrypted. */
export type Deployment = z.infer<typeof deploymentSchema>;

const restore =
  "put back an earlier one: the backend keeps a copy of each run (in this clone: .kindows/state/.pulumi/backups)";

/** @throws Failure when the text is not an export of a version this program knows. */
export function parseDeployment(json: string): Deployment {
  return knownVersion(checkedJson(json, deploymentSchema, "the stack's state", restore));
}

/** Like `parseDeployment`, for a value. @param file where it is from. */
export function checkDeployment(value: unknown, file: string): Deployment {
  return knownVersion(checked(value, deploymentSchema, `the stack's state ${file}`, restore));
}

function knownVersion(deployment: Deployment): Deployment {
  // Version 4 adds features that only say which fields are used.
  if (deployment.version !== 3 && deployment.version !== 4) {
    throw new Failure(
      `the stack's state has the format version ${deployment.version}, but only 3 and 4 are known: ` +
        "it was written by another Pulumi CLI than this project's",
    );
  }
  return deployment;
}

/** All resources in the engine's order, dependencies first; empty if there is no state. */
export function resourcesOf(deployment: Deployment | undefined): readonly StateResource[] {
  return deployment?.deployment.resources ?? [];
}

export function providerUrn({ provider }: StateResource): string | undefined {
  return provider?.slice(0, provider.lastIndexOf("::"));
}

export function pendingOperations(deployment: Deployment): readonly PendingOperation[] {
  return deployment.deployment.pending_operations ?? [];
}

/**
 * The same state without pending operations.
 *
 * None of them is needed: what was being created is not in the state, so it is removed from the host and created again;
 * what was being updated or deleted is still in the state, so that is repeated.
 */
export function withoutPendingOperations(deployment: Deployment): Deployment {
  const inner = { ...deployment.deployment };
  delete inner.pending_operations;
  return { ...deployment, deployment: inner };
}
