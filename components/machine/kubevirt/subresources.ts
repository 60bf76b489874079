// The package is compiled from its imports only, which would not include this file.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./ws.d.ts" />
import { request } from "node:https";
import type { Duplex } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { createWebSocketStream, WebSocket } from "ws";
import { apiError, type ClusterApi } from "../../../host/kubernetes/cluster-api.ts";

/** Time limit for a response of the API server, which first connects to the machine. */
const answerMilliseconds = 30_000;

/**
 * WebSocket subprotocol whose frames contain only the bytes of the stream (KubeVirt's client-go,
 * subresources/constants.go).
 */
const plainStream = "plain.kubevirt.io";

export interface Instance {
  readonly namespace: string;
  readonly name: string;
}

function pathOf({ namespace, name }: Instance, subresource: string): string {
  return `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}`;
}

/**
 * Opens a stream to a subresource of a running machine, through the API server.
 *
 * @param subresource `vnc`, or `portforward/PORT/tcp`.
 * @throws ApiError with KubeVirt's message, e.g. if the machine does not run.
 */
export async function openSubresource(
  api: ClusterApi,
  machine: Instance,
  subresource: string,
): Promise<Duplex> {
  const { server, ...connection } = await api.connection();
  const path = pathOf(machine, subresource);
  const socket = new WebSocket(
    `${server.replace(/^http(.*?)\/?$/, "ws$1")}${path}`,
    [plainStream],
    {
      ...connection,
      handshakeTimeout: answerMilliseconds,
      perMessageDeflate: false,
    },
  );
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
    socket.once("unexpected-response", (_, answer) => {
      text(answer).then((body) => reject(apiError(answer.statusCode ?? 0, body)), reject);
    });
  });
  return createWebSocketStream(socket);
}

/** Screenshot of a running machine, as PNG. @throws ApiError with KubeVirt's message. */
export async function screenshot(api: ClusterApi, machine: Instance): Promise<Buffer> {
  const { server, agent, auth, headers } = await api.connection();
  const url = server.replace(/\/$/, "") + pathOf(machine, "vnc/screenshot");
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerMilliseconds);
    const given = headers as Readonly<Record<string, string>> | undefined;
    request(url, { agent, auth, headers: { ...given }, signal }, (answer) => {
      buffer(answer).then((body) => {
        if (answer.statusCode === 200) resolve(body);
        else reject(apiError(answer.statusCode ?? 0, body.toString()));
      }, reject);
    })
      .on("error", reject)
      .end();
  });
}
