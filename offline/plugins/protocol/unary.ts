import * as grpc from "@grpc/grpc-js";
import type { handleUnaryCall, StatusObject } from "@grpc/grpc-js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import { messageOf } from "../../../host/failure.ts";
import { InitializationFailed } from "./resource-type.ts";
import { toStruct } from "./struct.ts";

/** Turns an async function into a gRPC handler; its error becomes the status. */
export function unary<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    Promise.resolve()
      .then(() => answer(call.request))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(errorStatus(error)),
      );
  };
}

/** Handler of a method that this plugin does not have, which the engine expects. */
export function unimplemented<Request, Response>(
  method: string,
): handleUnaryCall<Request, Response> {
  return (_call, callback) => {
    callback({ code: grpc.status.UNIMPLEMENTED, details: `${method} is not implemented` });
  };
}

/** gRPC sends the text in a header, which must stay below 64 kB; percent-encoding can triple it. */
const LONGEST_MESSAGE = 12_000;

function errorStatus(error: unknown): Partial<StatusObject> {
  const message = shorten(messageOf(error));
  const metadata = new grpc.Metadata();
  if (error instanceof InitializationFailed) {
    metadata.add("grpc-status-details-bin", initializationDetails(error, message));
  }
  return { code: grpc.status.UNKNOWN, details: message, metadata };
}

function initializationDetails(error: InitializationFailed, message: string): Buffer {
  const failure = new provider.ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(toStruct(error.properties))
    .setInputs(toStruct(error.inputs))
    .setReasonsList([message]);
  const detail = new any.Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const result = new status.Status()
    .setCode(grpc.status.UNKNOWN)
    .setMessage(message)
    .setDetailsList([detail]);
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
