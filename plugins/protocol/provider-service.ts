import * as grpc from "@grpc/grpc-js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import service from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import { connectEngineLog } from "./engine-log.ts";
import { Operations } from "./operation.ts";
import { engineAddress, servePlugin } from "./plugin-server.ts";
import { checkResponse, diffResponse, resourceHandlers } from "./resource-handlers.ts";
import type { ProviderDefinition } from "./resource-type.ts";
import { fromStruct } from "./struct.ts";
import { unary, unimplemented } from "./unary.ts";

/** Serves a provider until the engine is done with it. */
export function serveProvider(definition: ProviderDefinition): void {
  const implementation = providerService(definition, engineAddress());
  servePlugin((server) => {
    server.addService(service.ResourceProviderService, implementation);
  });
}

/**
 * A provider in terms of the protocol.
 *
 * @param engine address of the engine, to which it reports.
 */
export function providerService(
  definition: ProviderDefinition,
  engine: string,
): IResourceProviderServer {
  const operations = new Operations(connectEngineLog(engine));
  return {
    ...resourceHandlers(definition, operations),
    handshake: unary(() => {
      const response = new provider.ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      return response;
    }),
    getPluginInfo: unary(() => {
      const info = new plugin.PluginInfo();
      info.setVersion(definition.version);
      return info;
    }),
    getSchema: unary(() => {
      const response = new provider.GetSchemaResponse();
      // Enough for the engine; programs use the published SDKs and never ask.
      response.setSchema(JSON.stringify({ name: definition.name, version: definition.version }));
      return response;
    }),
    checkConfig: unary(async (request) =>
      checkResponse(await definition.checkConfig(fromStruct(request.getNews()))),
    ),
    diffConfig: unary(async (request) => {
      const olds = fromStruct(request.getOldInputs() ?? request.getOlds());
      return diffResponse(await definition.diffConfig(olds, fromStruct(request.getNews())));
    }),
    configure: unary((request) => {
      definition.configure(fromStruct(request.getArgs()));
      const response = new provider.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      return response;
    }),
    cancel: unary(() => {
      operations.cancel();
      return new empty.Empty();
    }),
    attach: unary(() => new empty.Empty()),
    invoke: unary((request) => {
      throw new Error(`function ${request.getTok()} is not covered by the bundled plugin`);
    }),
    call: unary((request) => {
      throw new Error(`method ${request.getTok()} is not covered by the bundled plugin`);
    }),
    construct: unary((request) => {
      throw new Error(`component ${request.getType()} is not covered by the bundled plugin`);
    }),
    list: (call) => {
      call.emit("error", { code: grpc.status.UNIMPLEMENTED, details: "List is not implemented" });
    },
    parameterize: unimplemented("Parameterize"),
    getMapping: unimplemented("GetMapping"),
    getMappings: unimplemented("GetMappings"),
  };
}
