import { spawn } from "node:child_process";
import type { ServerWritableStream } from "@grpc/grpc-js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import language, {
  type DependencyInfo,
  type InstallDependenciesRequest,
  type InstallDependenciesResponse,
} from "@pulumi/pulumi/proto/language_pb.js";
import type { ILanguageRuntimeServer } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import plugin, { type PackageDependency } from "@pulumi/pulumi/proto/plugin_pb.js";
import { unary, unimplemented } from "../protocol/unary.ts";
import { findPackage, findProject, type PackageJson, readPackageJson } from "./package-json.ts";
import { ProgramRunner } from "./program-runner.ts";
import { makeProvidersReady } from "./ready-providers.ts";
import { cp } from "node:fs/promises";
import path from "node:path";

/**
 * Language host for Node.js programs: the part of the protocol that running a program needs.
 *
 * @param engine address of the engine.
 */
export function languageService(engine: string): ILanguageRuntimeServer {
  const runner = new ProgramRunner(engine);
  return {
    handshake: unary(() => new language.LanguageHandshakeResponse()),
    getPluginInfo: unary(() => new plugin.PluginInfo()),
    getRequiredPackages: unary(async (request) => {
      const packages = await requiredPackages(request.getInfo()?.getProgramDirectory() ?? ".");
      // Not awaited: a provider that is not ready when the engine starts it runs as its own process.
      const names = packages.map((one) => one.getName());
      // Pulumi.yaml requires `kindows`, no package does.
      makeProvidersReady([...names, "kindows"], engine).catch(() => undefined);
      return new language.GetRequiredPackagesResponse().setPackagesList(packages);
    }),
    getRequiredPlugins: unimplemented("GetRequiredPlugins"),
    run: unary((request) => {
      // The engine sets this for a provider that is its own process.
      process.env["PULUMI_PROJECT"] = request.getProject();
      return runner.run(request);
    }),
    cancel: unary(() => {
      runner.cancel();
      return new empty.Empty();
    }),
    installDependencies,
    about: unary(() =>
      new language.AboutResponse().setExecutable(process.execPath).setVersion(process.version),
    ),
    getProgramDependencies: unary(async (request) =>
      new language.GetProgramDependenciesResponse().setDependenciesList(
        await programDependencies(request.getInfo()?.getProgramDirectory() ?? "."),
      ),
    ),
    runtimeOptionsPrompts: unary(() => new language.RuntimeOptionsResponse()),
    template: unary(() => new language.TemplateResponse()),
    runPlugin: (call) => runner.runPlugin(call),
    generateProgram: unimplemented("GenerateProgram"),
    generateProject: unimplemented("GenerateProject"),
    generatePackage: unary(async (request) => {
      await copyLocalSdk(process.cwd(), request.getSchema(), request.getDirectory());
      return new language.GeneratePackageResponse();
    }),
    pack: unimplemented("Pack"),
    // The project's package.json names it already.
    link: unary(() => new language.LinkResponse()),
  };
}

/** `pulumi install`: runs `npm install` in the program's folder and passes its output on. */
function installDependencies(
  call: ServerWritableStream<InstallDependenciesRequest, InstallDependenciesResponse>,
): void {
  const folder = call.request.getInfo()?.getProgramDirectory() ?? call.request.getDirectory();
  const npm = spawn("npm", ["install", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { InstallDependenciesResponse } = language;
  npm.stdout.on("data", (data: Buffer) =>
    call.write(new InstallDependenciesResponse().setStdout(data)),
  );
  npm.stderr.on("data", (data: Buffer) =>
    call.write(new InstallDependenciesResponse().setStderr(data)),
  );
  npm.on("error", (error) => {
    call.emit("error", new Error(`npm could not be started: ${error.message}`));
  });
  npm.on("close", (code) => {
    if (code === 0) call.end();
    else call.emit("error", new Error(`npm install in ${folder} exited with ${String(code)}`));
  });
}

/** The dependencies in the program's package.json, with their installed versions. For `pulumi about`. */
async function programDependencies(program: string): Promise<DependencyInfo[]> {
  const project = await findProject(program);
  if (project === undefined) return [];
  const result: DependencyInfo[] = [];
  const direct = { ...project.json.dependencies, ...project.json.devDependencies };
  for (const [name, wanted] of Object.entries(direct)) {
    const installed = await findPackage(name, project.folder);
    const version = installed?.json.version ?? `${wanted} (not installed)`;
    result.push(new language.DependencyInfo().setName(name).setVersion(version));
  }
  return result;
}

const SDK = "@pulumi/pulumi";

/**
 * The plugins a program needs, read from the `pulumi` block of the packages it depends on. The dependencies of
 * packages that do not depend on the Pulumi SDK are not searched, so that the search stays short.
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
  const { parameterization } = block;
  return new plugin.PackageDependency()
    .setKind("resource")
    .setName(block.name ?? packageName.replace(/^@pulumi\//, "").replace(/^@/, ""))
    .setVersion(version.replace(/^v/, ""))
    .setServer(block.server ?? "")
    .setParameterization(
      parameterization &&
        new plugin.PackageParameterization()
          .setName(parameterization.name)
          .setVersion(parameterization.version)
          .setValue(parameterization.value),
    );
}

interface Schema {
  readonly name: string;
  readonly version?: string;
  readonly parameterization?: { readonly parameter: string };
}

/**
 * `pulumi install` generates the SDKs of Pulumi.yaml's `packages` again. This host has no generator, so it copies the
 * SDK in the project, if that belongs to the same package.
 *
 * @param schema the package's schema, as JSON
 * @param into folder for the SDK
 * @throws if the project has no SDK of the package
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
