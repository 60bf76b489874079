import empty from "google-protobuf/google/protobuf/empty_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import type { ILanguageRuntimeServer } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import { engineAddress } from "../protocol/plugin-server.ts";
import { unary, unimplemented } from "../protocol/unary.ts";
import { installDependencies } from "./install-dependencies.ts";
import { programDependencies } from "./program-dependencies.ts";
import { ProgramRunner } from "./program-runner.ts";
import { requiredPackages } from "./required-packages.ts";

/** What the engine asks of a language host, as far as running a program needs it. */
export function languageService(): ILanguageRuntimeServer {
  const runner = new ProgramRunner(engineAddress());
  return {
    handshake: unary(() => new language.LanguageHandshakeResponse()),
    getPluginInfo: unary(() => {
      const info = new plugin.PluginInfo();
      info.setVersion("");
      return info;
    }),
    getRequiredPackages: unary(async (request) => {
      const response = new language.GetRequiredPackagesResponse();
      response.setPackagesList(
        await requiredPackages(request.getInfo()?.getProgramDirectory() ?? "."),
      );
      return response;
    }),
    getRequiredPlugins: unimplemented("GetRequiredPlugins"),
    run: unary((request) => runner.run(request)),
    cancel: unary(() => {
      runner.cancel();
      return new empty.Empty();
    }),
    installDependencies,
    about: unary(() => {
      const response = new language.AboutResponse();
      response.setExecutable(process.execPath);
      response.setVersion(process.version);
      return response;
    }),
    getProgramDependencies: unary(async (request) => {
      const response = new language.GetProgramDependenciesResponse();
      response.setDependenciesList(
        await programDependencies(request.getInfo()?.getProgramDirectory() ?? "."),
      );
      return response;
    }),
    runtimeOptionsPrompts: unary(() => new language.RuntimeOptionsResponse()),
    template: unary(() => new language.TemplateResponse()),
    runPlugin: (call) => {
      call.emit("error", new Error("the bundled language host does not run plugins from source"));
    },
    generateProgram: unimplemented("GenerateProgram"),
    generateProject: unimplemented("GenerateProject"),
    generatePackage: unimplemented("GeneratePackage"),
    pack: unimplemented("Pack"),
    link: unimplemented("Link"),
  };
}
