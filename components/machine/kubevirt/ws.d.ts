/** Types for the used part of `ws`, which has none of its own. */
declare module "ws" {
  import type { EventEmitter } from "node:events";
  import type { ClientRequest, IncomingMessage } from "node:http";
  import type { Agent } from "node:https";
  import type { Duplex } from "node:stream";

  interface ClientOptions {
    readonly agent: Agent;
    readonly auth?: string | null | undefined;
    readonly headers?: object | undefined;
    /** Milliseconds. */
    readonly handshakeTimeout: number;
    readonly perMessageDeflate: boolean;
  }

  export class WebSocket extends EventEmitter<{
    open: [];
    error: [Error];
    "unexpected-response": [ClientRequest, IncomingMessage];
  }> {
    constructor(address: string, protocols: readonly string[], options: ClientOptions);
  }

  /** Used by tests only. */
  export class WebSocketServer {
    constructor(options: {
      readonly noServer: true;
      readonly handleProtocols: (protocols: Set<string>) => string | false;
    });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      connected: (socket: WebSocket) => void,
    ): void;
  }

  export function createWebSocketStream(socket: WebSocket): Duplex;
}
