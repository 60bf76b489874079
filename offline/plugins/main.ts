/** Serves the bundled plugin that its first argument names, e.g. `resource-command`, until the engine ends it. */
import languages from "@pulumi/pulumi/proto/language_grpc_pb.js";
import resources from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { engineAddress, servePlugin } from "./protocol/plugin-server.ts";
import { providerService } from "./protocol/provider-service.ts";
import { providers } from "./providers.ts";

const [name = ""] = process.argv.splice(2, 1);
const engine = engineAddress();
const provider = await providers[name.replace(/^resource-/, "")]?.();
if (provider !== undefined) {
  await servePlugin((server) => {
    server.addService(resources.ResourceProviderService, providerService(provider, engine));
  });
} else if (name === "language-nodejs") {
  const { languageService } = await import("./language-nodejs/language-service.ts");
  await servePlugin((server) => {
    server.addService(languages.LanguageRuntimeService, languageService(engine));
  });
} else {
  throw new Error(`there is no bundled plugin ${name}`);
}
