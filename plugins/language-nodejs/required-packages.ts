import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import type { PackageDependency } from "@pulumi/pulumi/proto/plugin_pb.js";
import { findPackage, findProject, type PackageJson } from "./package-json.ts";

const SDK = "@pulumi/pulumi";

/**
 * The plugins a program needs, read from the `pulumi` block of the packages it depends on. Packages that do not
 * depend on the Pulumi SDK are not looked into further, so that the search stays short.
 * @param program folder of the program
 */
export async function requiredPackages(program: string): Promise<PackageDependency[]> {
  const project = await findProject(program);
  if (project === undefined) return [];
  const seen = new Set<string>();
  const found: PackageDependency[] = [];

  const visit = async (name: string, from: string): Promise<void> => {
    if (name === SDK) return;
    const installed = await findPackage(name, from);
    if (installed === undefined || seen.has(installed.folder)) return;
    seen.add(installed.folder);
    const { json, folder } = installed;
    if (json.pulumi?.resource === true) found.push(dependency(name, json));
    const dependencies = Object.keys(json.dependencies ?? {});
    if (dependencies.includes(SDK)) for (const next of dependencies) await visit(next, folder);
  };

  const direct = { ...project.json.dependencies, ...project.json.devDependencies };
  for (const name of Object.keys(direct)) await visit(name, project.folder);
  return found;
}

function dependency(packageName: string, json: PackageJson): PackageDependency {
  const block = json.pulumi ?? {};
  const version = block.version ?? json.version;
  if (version === undefined) {
    throw new Error(`package.json of ${packageName} says it has a plugin, but no version`);
  }
  const result = new plugin.PackageDependency();
  result.setKind("resource");
  result.setName(block.name ?? packageName.replace(/^@pulumi\//, "").replace(/^@/, ""));
  result.setVersion(version.replace(/^v/, ""));
  result.setServer(block.server ?? "");
  if (block.parameterization !== undefined) {
    const parameterization = new plugin.PackageParameterization();
    parameterization.setName(block.parameterization.name);
    parameterization.setVersion(block.parameterization.version);
    parameterization.setValue(block.parameterization.value);
    result.setParameterization(parameterization);
  }
  return result;
}
