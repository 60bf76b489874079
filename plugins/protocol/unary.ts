import * as grpc from "@grpc/grpc-js";
import type { handleUnaryCall, sendUnaryData, ServerUnaryCall } from "@grpc/grpc-js";
import { errorStatus } from "./status.ts";

/** Makes a gRPC handler of an async function; its error becomes the status. */
export function unary<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
    Promise.resolve()
      .then(() => answer(call.request))
      .then(
        (response) => {
          callback(null, response);
        },
        (error: unknown) => {
          callback(errorStatus(error));
        },
      );
  };
}

/** Handler of a method that this plugin does not have; the engine knows what to do then. */
export function unimplemented<Request, Response>(
  method: string,
): handleUnaryCall<Request, Response> {
  return (_call, callback) => {
    callback({ code: grpc.status.UNIMPLEMENTED, details: `${method} is not implemented` });
  };
}
