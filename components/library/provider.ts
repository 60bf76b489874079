/**
 * The components as an engine plugin, for programs in any language: `PulumiPlugin.yaml` names this file.
 *
 * The SDK's own `componentProviderHost` would read the arguments' types out of the sources each time it starts, which takes
 * it seconds; here that is done once, when the package is made (toolchain/pack-components.ts).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as components from "./components.ts";

type Component = new (
  name: string,
  args: pulumi.Inputs,
  opts: pulumi.ComponentResourceOptions,
) => pulumi.ComponentResource & Record<string, unknown>;

const schema = readFileSync(new URL("schema.json", import.meta.url), "utf8");
const { version, resources } = JSON.parse(schema) as {
  readonly version: string;
  readonly resources: Readonly<Record<string, { readonly properties?: object }>>;
};

function construct(
  name: string,
  type: string,
  inputs: pulumi.Inputs,
  opts: pulumi.ComponentResourceOptions,
): Promise<pulumi.provider.ConstructResult> {
  requirePackage();
  const made = components as unknown as Readonly<Record<string, Component | undefined>>;
  const component = made[type.split(":")[2] ?? ""];
  if (component === undefined) throw new Error(`there is no component ${type}`);
  const instance = new component(name, inputs, opts);
  const outputs = Object.keys(resources[type]?.properties ?? {});
  const state = Object.fromEntries(outputs.map((output) => [output, instance[output]]));
  return Promise.resolve({ urn: instance.urn, state });
}

/** What runs on this host is found by Node.js from the program's folder, so that the state is the same wherever that is. */
function requirePackage(): void {
  try {
    createRequire(path.resolve("package.json")).resolve("@kindows/components");
  } catch {
    throw new Error(
      `@kindows/components is not installed in ${process.cwd()}: run \`npm install @kindows/components\` there`,
    );
  }
}

// Not awaited: Pulumi loads this with `require`, which takes no module that awaits.
void pulumi.provider.main(
  { version, getSchema: () => Promise.resolve(schema), construct },
  process.argv.slice(2),
);
