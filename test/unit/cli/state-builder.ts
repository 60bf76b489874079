import type { Facts, FactsType } from "../../../components/facts.ts";
import type { Deployment, StateResource } from "../../../cli/engine/deployment.ts";

/** URN of a resource of the stack `t`. */
export function urn(type: string, name: string): string {
  return `urn:pulumi:t::kindows::${type}::${name}`;
}

/** A resource of the engine's state, with only the given properties. */
export function resource(
  type: string,
  name: string,
  rest: Partial<StateResource> = {},
): StateResource {
  return { urn: urn(type, name), type, custom: true, ...rest };
}

/** A component and its facts. */
export function component<T extends FactsType>(
  type: T,
  name: string,
  facts: Facts<T>,
  rest: Partial<StateResource> = {},
): StateResource {
  return resource(type, name, { custom: false, inputs: { facts }, ...rest });
}

export const libvirtMachine = (node: string, address = "192.0.2.1"): StateResource =>
  component("kindows:machine:LibvirtMachine", node, {
    node,
    os: "windows",
    address,
    cpus: 2,
    memoryMiB: 4096,
    diskGiB: 40,
    domainType: "kvm",
  });

export const windowsNode = (node: string): StateResource =>
  component("kindows:windows:WindowsNode", node, { node, checkFolder: "C:\\k" });

/** Inputs of a resource that does a step on a node's machine. */
export const stepInputs = (step: string, sha256?: string): StateResource["inputs"] => ({
  triggers: [{ machine: "instance-1", step, ...(sha256 && { sha256 }) }],
});

/** A state with these resources, as `pulumi stack export` prints it. */
export function deployment(
  resources: readonly StateResource[],
  pending: Deployment["deployment"]["pending_operations"] = undefined,
): Deployment {
  return {
    version: 3,
    deployment: {
      manifest: { version: "v3.276.0" },
      resources: [...resources],
      ...(pending && { pending_operations: pending }),
    },
  };
}

/** Login data of a machine. */
export const connection = {
  host: "192.168.150.10",
  port: 22,
  user: "Administrator",
  privateKey: "KEY",
  hostKey: "ssh-ed25519 AAAA",
};

/** A secret value, as `pulumi stack export --show-secrets` prints it. */
export const secret = (value: unknown): object => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(value),
});
