import * as grpc from "@grpc/grpc-js";
import type { StatusObject } from "@grpc/grpc-js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import { messageOf } from "../../host/failure.ts";
import type { PropertyMap } from "./property-value.ts";
import { toStruct } from "./struct.ts";

/** gRPC sends the text in a header, which must stay below 64 kB; percent-encoding can triple it. */
const LONGEST_MESSAGE = 12_000;

/** The resource was made but is not what it should be: the engine keeps it and tries again next time. */
export class InitializationFailed extends Error {
  readonly id: string;
  readonly properties: PropertyMap;
  readonly inputs: PropertyMap;

  constructor(id: string, properties: PropertyMap, inputs: PropertyMap, reason: string) {
    super(reason);
    this.id = id;
    this.properties = properties;
    this.inputs = inputs;
  }
}

/** The status that tells the engine of an error. */
export function errorStatus(error: unknown): Partial<StatusObject> {
  const message = shorten(messageOf(error));
  const metadata = new grpc.Metadata();
  if (error instanceof InitializationFailed) {
    metadata.add("grpc-status-details-bin", initializationDetails(error, message));
  }
  return { code: grpc.status.UNKNOWN, details: message, metadata };
}

function initializationDetails(error: InitializationFailed, message: string): Buffer {
  const failure = new provider.ErrorResourceInitFailed();
  failure.setId(error.id);
  failure.setProperties(toStruct(error.properties));
  failure.setInputs(toStruct(error.inputs));
  failure.setReasonsList([message]);
  const detail = new any.Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const result = new status.Status();
  result.setCode(grpc.status.UNKNOWN);
  result.setMessage(message);
  result.addDetails(detail);
  return Buffer.from(result.serializeBinary());
}

/** Keeps the beginning, which says what failed, and the end, which mostly says why. */
function shorten(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  const head = message.slice(0, LONGEST_MESSAGE / 4);
  const tail = message.slice(-(LONGEST_MESSAGE * 3) / 4);
  const left = message.length - head.length - tail.length;
  return `${head}\n... (${String(left)} characters left out) ...\n${tail}`;
}
