import { cp } from "node:fs/promises";
import path from "node:path";
import { readPackageJson } from "./package-json.ts";

/** What a schema says of itself. */
interface Schema {
  readonly name: string;
  readonly version?: string;
  readonly parameterization?: { readonly parameter: string };
}

/**
 * `pulumi install` has the SDKs of Pulumi.yaml's `packages` generated anew. This host has no generator: it gives the SDK
 * that lies in the project, if it is the one of the same package.
 *
 * @param schema of the package, as JSON
 * @param into gets the SDK
 * @throws when the project has none, or one of another package
 */
export async function copyLocalSdk(project: string, schema: string, into: string): Promise<void> {
  const { name, version, parameterization } = JSON.parse(schema) as Schema;
  const folder = path.join(project, "sdks", name);
  const found = await readPackageJson(folder);
  const parameter = found?.pulumi?.parameterization?.value;
  if (found?.version !== version || parameter !== parameterization?.parameter) {
    throw new Error(
      `${folder} is not the SDK of ${name} ${version ?? ""}, and the bundled Node.js language host cannot generate one: ` +
        "`make sdk` does, and so does the official language host",
    );
  }
  await cp(folder, into, { recursive: true });
}
