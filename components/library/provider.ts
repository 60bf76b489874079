/**
 * The components as a Pulumi plugin, for programs in any language. `package.json` names this file as `main`.
 *
 * The SDK's own `componentProviderHost` would derive the schema from the sources at each start, which takes seconds.
 * Here that is done once, when the package is built (components/library/pack.ts).
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
  const byName = components as unknown as Readonly<Record<string, Component | undefined>>;
  const component = byName[type.split(":")[2] ?? ""];
  if (component === undefined) throw new Error(`there is no component ${type}`);
  const instance = new component(name, inputs, opts);
  const outputs = Object.keys(resources[type]?.properties ?? {});
  const state = Object.fromEntries(outputs.map((output) => [output, instance[output]]));
  return Promise.resolve({ urn: instance.urn, state });
}

/**
 * Host actions import the package from the program's folder, so that the state does not contain the path of that
 * folder.
 */
function requirePackage(): void {
  try {
    createRequire(path.resolve("package.json")).resolve("@kindows/components");
  } catch {
    throw new Error(
      `@kindows/components is not installed in ${process.cwd()}: run \`npm install @kindows/components\` there`,
    );
  }
}

// Not awaited, because Pulumi loads this with `require`, which does not support top-level await.
void pulumi.provider.main(
  { version, getSchema: () => Promise.resolve(schema), construct },
  process.argv.slice(2),
);
