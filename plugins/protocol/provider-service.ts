import * as grpc from "@grpc/grpc-js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import { connectEngineLog } from "./engine-log.ts";
import { Operations } from "./operation.ts";
import type { ProviderDefinition, Checked, Difference } from "./resource-type.ts";
import { fromStruct, toStruct } from "./struct.ts";
import { unary, unimplemented } from "./unary.ts";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import type { ChangeKind } from "./property-diff.ts";

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

type ResourceMethods = "check" | "diff" | "create" | "read" | "update" | "delete";

/** The part of the protocol that is about single resources, in terms of {@link ProviderDefinition}. */
function resourceHandlers(
  definition: ProviderDefinition,
  operations: Operations,
): Pick<IResourceProviderServer, ResourceMethods> {
  return {
    check: unary(async (request) => {
      const type = definition.resourceType(request.getType());
      const checked = await type.check({
        name: request.getName(),
        olds: fromStruct(request.getOlds()),
        news: fromStruct(request.getNews()),
        randomSeed: request.getRandomseed_asU8(),
      });
      return checkResponse(checked);
    }),
    diff: unary(async (request) => {
      const type = definition.resourceType(request.getType());
      const difference = await type.diff({
        id: request.getId(),
        oldInputs: fromStruct(request.getOldInputs()),
        olds: fromStruct(request.getOlds()),
        news: fromStruct(request.getNews()),
      });
      return diffResponse(difference);
    }),
    create: unary(async (request) => {
      const type = definition.resourceType(request.getType());
      const created = await operations.run("create", target(request), (operation) =>
        type.create(
          { inputs: fromStruct(request.getProperties()), preview: request.getPreview() },
          operation,
        ),
      );
      const response = new provider.CreateResponse();
      response.setId(created.id);
      response.setProperties(toStruct(created.properties));
      return response;
    }),
    read: unary(async (request) => {
      const type = definition.resourceType(request.getType());
      const inputs = request.getInputs();
      const found = await operations.run("read", target(request), (operation) =>
        type.read(
          {
            id: request.getId(),
            inputs: inputs === undefined ? undefined : fromStruct(inputs),
            state: fromStruct(request.getProperties()),
          },
          operation,
        ),
      );
      const response = new provider.ReadResponse();
      // An answer without an id says that the resource is gone.
      if (found === undefined) return response;
      response.setId(request.getId());
      response.setProperties(toStruct(found.state));
      response.setInputs(toStruct(found.inputs));
      return response;
    }),
    update: unary(async (request) => {
      const type = definition.resourceType(request.getType());
      const properties = await operations.run("update", target(request), (operation) =>
        type.update(
          {
            id: request.getId(),
            oldInputs: fromStruct(request.getOldInputs()),
            olds: fromStruct(request.getOlds()),
            news: fromStruct(request.getNews()),
            preview: request.getPreview(),
          },
          operation,
        ),
      );
      const response = new provider.UpdateResponse();
      response.setProperties(toStruct(properties));
      return response;
    }),
    delete: unary(async (request) => {
      const type = definition.resourceType(request.getType());
      await operations.run("delete", target(request), (operation) =>
        type.delete(
          {
            id: request.getId(),
            oldInputs: fromStruct(request.getOldInputs()),
            olds: fromStruct(request.getProperties()),
          },
          operation,
        ),
      );
      return new empty.Empty();
    }),
  };
}

interface TargetedRequest {
  getUrn(): string;
  getName(): string;
  getTimeout(): number;
}

function target(request: TargetedRequest): { urn: string; name: string; timeoutSeconds: number } {
  return {
    urn: request.getUrn(),
    name: request.getName(),
    timeoutSeconds: request.getTimeout(),
  };
}

function checkResponse(checked: Checked): pb.CheckResponse {
  const response = new provider.CheckResponse();
  response.setInputs(toStruct(checked.inputs));
  for (const { property, reason } of checked.failures) {
    const failure = new provider.CheckFailure();
    failure.setProperty(property);
    failure.setReason(reason);
    response.addFailures(failure);
  }
  return response;
}

function diffResponse(difference: Difference): pb.DiffResponse {
  const { DiffChanges } = provider.DiffResponse;
  const response = new provider.DiffResponse();
  const any = difference.changes.length > 0;
  response.setChanges(any ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE);
  response.setHasdetaileddiff(true);
  response.setDeletebeforereplace(difference.deleteBeforeReplace);
  for (const change of difference.changes) {
    const detail = new provider.PropertyDiff();
    detail.setKind(diffKind(change.kind, change.replaces));
    detail.setInputdiff(change.isOutput !== true);
    response.getDetaileddiffMap().set(change.path, detail);
    const root = String(change.keys[0]);
    if (!response.getDiffsList().includes(root)) response.addDiffs(root);
    if (change.replaces && !response.getReplacesList().includes(root)) response.addReplaces(root);
  }
  return response;
}

function diffKind(kind: ChangeKind, replaces: boolean): pb.PropertyDiff.Kind {
  const { Kind } = provider.PropertyDiff;
  switch (kind) {
    case "add":
      return replaces ? Kind.ADD_REPLACE : Kind.ADD;
    case "delete":
      return replaces ? Kind.DELETE_REPLACE : Kind.DELETE;
    case "update":
      return replaces ? Kind.UPDATE_REPLACE : Kind.UPDATE;
  }
}
