import * as grpc from "@grpc/grpc-js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import { connectEngineLog } from "./engine-log.ts";
import { type Operation, Operations, type TargetedRequest } from "./operation.ts";
import { kindOf, propertyPath } from "./property-diff.ts";
import {
  type Checked,
  type Difference,
  notCovered,
  type ProviderDefinition,
  type ResourceType,
} from "./resource-type.ts";
import { fromStruct, toStruct } from "./struct.ts";
import { unary, unimplemented } from "./unary.ts";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";

/**
 * Serves a provider over the engine's protocol.
 *
 * @param engine address of the engine, to which it reports.
 */
export function providerService(
  definition: ProviderDefinition,
  engine: string,
): IResourceProviderServer {
  const operations = new Operations(connectEngineLog(engine));
  const { name, version } = definition;
  const refuse = (what: string): never => {
    throw new Error(notCovered(name, what));
  };
  return {
    ...resourceHandlers(definition, operations),
    handshake: unary(() => new provider.ProviderHandshakeResponse().setAcceptSecrets(true)),
    getPluginInfo: unary(() => new plugin.PluginInfo().setVersion(version)),
    // Enough for the engine; programs use the published SDKs and never read it.
    getSchema: unary(() =>
      new provider.GetSchemaResponse().setSchema(JSON.stringify({ name, version })),
    ),
    checkConfig: unary((request) =>
      checkResponse(definition.checkConfig(fromStruct(request.getNews()))),
    ),
    diffConfig: unary((request) => {
      const olds = fromStruct(request.getOldInputs() ?? request.getOlds());
      return diffResponse(definition.diffConfig(olds, fromStruct(request.getNews())));
    }),
    configure: unary((request) => {
      definition.configure(fromStruct(request.getArgs()));
      return new provider.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),
    cancel: unary(() => {
      operations.cancel();
      return new empty.Empty();
    }),
    attach: unary(() => new empty.Empty()),
    invoke: unary((request) => refuse(`function ${request.getTok()}`)),
    call: unary((request) => refuse(`method ${request.getTok()}`)),
    construct: unary((request) => refuse(`component ${request.getType()}`)),
    list: (call) => {
      call.emit("error", { code: grpc.status.UNIMPLEMENTED, details: "List is not implemented" });
    },
    parameterize: unimplemented("Parameterize"),
    getMapping: unimplemented("GetMapping"),
    getMappings: unimplemented("GetMappings"),
  };
}

type ResourceMethods = "check" | "diff" | "create" | "read" | "update" | "delete";

/** The methods of the protocol for single resources. */
function resourceHandlers(
  definition: ProviderDefinition,
  operations: Operations,
): Pick<IResourceProviderServer, ResourceMethods> {
  const typeOf = (request: { getType(): string }): ResourceType =>
    definition.resourceType(request.getType());
  const run = <Result>(
    verb: string,
    request: TargetedRequest,
    body: (type: ResourceType, operation: Operation) => Promise<Result>,
  ): Promise<Result> => {
    const type = typeOf(request);
    return operations.run(verb, request, (operation) => body(type, operation));
  };
  return {
    check: unary((request) => checkResponse(typeOf(request).check(fromStruct(request.getNews())))),
    diff: unary((request) =>
      diffResponse(
        typeOf(request).diff({
          oldInputs: fromStruct(request.getOldInputs()),
          olds: fromStruct(request.getOlds()),
          news: fromStruct(request.getNews()),
        }),
      ),
    ),
    create: unary(async (request) => {
      const [inputs, preview] = [fromStruct(request.getProperties()), request.getPreview()];
      const { id, properties } = await run("create", request, (type, operation) =>
        type.create({ inputs, preview }, operation),
      );
      return new provider.CreateResponse().setId(id).setProperties(toStruct(properties));
    }),
    read: unary(async (request) => {
      const id = request.getId();
      const [inputs, state] = [
        fromStruct(request.getInputs()),
        fromStruct(request.getProperties()),
      ];
      const found = await run("read", request, (type, operation) =>
        type.read({ id, inputs, state }, operation),
      );
      // A response without an id means that the resource is gone.
      if (found === undefined) return new provider.ReadResponse();
      return new provider.ReadResponse()
        .setId(id)
        .setProperties(toStruct(found.state))
        .setInputs(toStruct(found.inputs));
    }),
    update: unary(async (request) => {
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      const preview = request.getPreview();
      const properties = await run("update", request, (type, operation) =>
        type.update({ olds, news, preview }, operation),
      );
      return new provider.UpdateResponse().setProperties(toStruct(properties));
    }),
    delete: unary(async (request) => {
      await run("delete", request, (type, operation) =>
        type.delete(fromStruct(request.getProperties()), operation),
      );
      return new empty.Empty();
    }),
  };
}

function checkResponse({ inputs, failures }: Checked): pb.CheckResponse {
  const refused = failures.map(({ property, reason }) =>
    new provider.CheckFailure().setProperty(property).setReason(reason),
  );
  return new provider.CheckResponse().setInputs(toStruct(inputs)).setFailuresList(refused);
}

function diffResponse({ changes, deleteBeforeReplace }: Difference): pb.DiffResponse {
  const { DIFF_SOME, DIFF_NONE } = provider.DiffResponse.DiffChanges;
  const roots = (of: Difference["changes"]): string[] => [
    ...new Set(of.map(({ keys }) => String(keys[0]))),
  ];
  const response = new provider.DiffResponse()
    .setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setHasdetaileddiff(true)
    .setDeletebeforereplace(deleteBeforeReplace)
    .setDiffsList(roots(changes))
    .setReplacesList(roots(changes.filter(({ replaces }) => replaces)));
  const { Kind } = provider.PropertyDiff;
  const kinds = {
    add: [Kind.ADD, Kind.ADD_REPLACE],
    delete: [Kind.DELETE, Kind.DELETE_REPLACE],
    update: [Kind.UPDATE, Kind.UPDATE_REPLACE],
  } as const;
  for (const change of changes) {
    const detail = new provider.PropertyDiff()
      .setKind(kinds[kindOf(change)][change.replaces ? 1 : 0])
      .setInputdiff(change.isOutput !== true);
    response.getDetaileddiffMap().set(propertyPath(change.keys), detail);
  }
  return response;
}
