/** Answers the programs' calls of computenetwork.dll and vmcompute.dll (rehearsal/wine/dlls/hns.c has the messages). */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { hnsPort } from "../../wine/hns-port.ts";
import { HnsError } from "./errors.ts";
import { type HostNetworkingService, isHnsKind, parsedJson } from "./service.ts";
import { answerCall, inVersion2 } from "./version-1.ts";

const separator = "\x1f";
const end = "\0";

/** One call: HCN's operation on an object, or HNSCall with its method and path. */
interface Message {
  readonly operation: string;
  /** The object's kind; the method of HNSCall. */
  readonly kind: string;
  /** The object's id; the path of HNSCall. */
  readonly id: string;
  /** The network of a new endpoint. */
  readonly parent: string;
  readonly json: string;
}

/** @returns the call's output. @throws HnsError */
async function answer(hns: HostNetworkingService, message: Message): Promise<string> {
  const { operation, kind, id, parent, json } = message;
  if (operation === "call") {
    const Output = await answerCall(hns, kind, id, json);
    return JSON.stringify({ Success: true, Output });
  }
  if (!isHnsKind(kind)) throw new Error(`there are no objects ${kind} in HNS`);
  switch (operation) {
    case "enumerate":
      return JSON.stringify(hns.enumerate(kind, json));
    case "open":
      hns.query(kind, id);
      return id;
    case "query":
      return JSON.stringify(hns.query(kind, id));
    case "create": {
      const settings = inVersion2(kind, parsedJson(json));
      return hns.create(kind, settings, { id, network: parent });
    }
    case "modify":
      await hns.modify(kind, id, parsedJson(json));
      return "";
    case "delete":
      await hns.delete(kind, id);
      return "";
    default:
      throw new Error(`HNS has no operation ${operation}`);
  }
}

async function reply(hns: HostNetworkingService, text: string, log: Log): Promise<string> {
  const [operation = "", kind = "", id = "", parent = "", json = ""] = text.split(separator);
  try {
    return `0${separator}${await answer(hns, { operation, kind, id, parent, json })}`;
  } catch (error) {
    if (!(error instanceof HnsError)) throw error;
    log(`HNS refuses ${operation} ${kind} ${id} ${json}: ${error.reason}`);
    return `${error.code.toString(16)}${separator}${error.record}`;
  }
}

type Log = (line: string) => void;

/** Answers one program, one call after the other. */
async function serveProgram(hns: HostNetworkingService, socket: Socket, log: Log): Promise<void> {
  socket.setEncoding("utf8");
  let rest = "";
  for await (const data of socket as AsyncIterable<string>) {
    const messages = (rest + data).split(end);
    rest = messages.pop() ?? "";
    for (const message of messages) socket.write((await reply(hns, message, log)) + end);
  }
}

/**
 * Serves on the loopback address until the server is closed. Logs what HNS refuses.
 *
 * @param port Default: that of the DLLs. 0 is any.
 */
export async function serveHns(
  hns: HostNetworkingService,
  log: Log,
  port: number = hnsPort,
): Promise<Server> {
  const server = createServer((socket) => {
    serveProgram(hns, socket, log).catch((error: unknown) => {
      // A program that ends resets its connection.
      if (!(error instanceof Error && "code" in error && error.code === "ECONNRESET")) {
        log(`a call of HNS: ${String(error)}`);
      }
      socket.destroy();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
