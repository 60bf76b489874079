import type { Deployment, StateResource } from "../../../../cli/recovery/deployment.ts";

/** URN of a resource of the stack `t`. */
export function urn(type: string, name: string): string {
  return `urn:pulumi:t::kindows::${type}::${name}`;
}

/** A resource as the engine keeps it; what the test says nothing about is left out. */
export function resource(
  type: string,
  name: string,
  rest: Partial<StateResource> = {},
): StateResource {
  return { urn: urn(type, name), type, custom: true, ...rest };
}

/** A state with these resources, as `pulumi stack export` prints it. */
export function deployment(
  resources: readonly StateResource[],
  pending: Deployment["deployment"]["pending_operations"] = undefined,
): Deployment {
  return {
    version: 3,
    deployment: {
      manifest: { version: "v3.259.0" },
      resources: [...resources],
      ...(pending && { pending_operations: pending }),
    },
  };
}
