import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import net from "node:net";
import { dial } from "../../../ssh/dial.ts";
import { waitUntil } from "../../../host/wait-until.ts";

describe("dialling", () => {
  let server: net.Server;
  /** What is done with whoever connects. */
  let greet: (socket: net.Socket) => void;

  beforeEach(async () => {
    server = net.createServer((socket) => {
      socket.on("error", () => undefined);
      greet(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => server.close());

  const dialled = (signal: AbortSignal, dialErrorLimit = -1): Promise<unknown> => {
    const { port } = server.address() as net.AddressInfo;
    const bounds = { dialErrorLimit, perDialTimeout: 300 };
    const connection = { host: "127.0.0.1", port, user: "nobody", password: "none", ...bounds };
    return dial(connection, { signal, progress: () => undefined });
  };

  /** The last connection may hear a little later. */
  const leftAlone = (signal: AbortSignal): Promise<void> =>
    waitUntil({ what: "no listener", timeoutSeconds: 300, pollMilliseconds: 10 }, () => {
      const { length } = getEventListeners(signal, "abort");
      return Promise.resolve(length === 0 ? undefined : `${length} listeners`);
    });

  it("leaves nothing behind on the operation's signal, however many attempts it took", async () => {
    const { signal } = new AbortController();
    greet = (socket) => socket.destroy();
    await assert.rejects(dialled(signal, 2), /after 2 failed attempts/);
    await leftAlone(signal);
  });

  it("ends at once where the operation is over already", async () => {
    const over = AbortSignal.abort(new Error("the time is over"));
    greet = (socket) => socket.destroy();
    await assert.rejects(dialled(over), /the time is over; last seen: nothing yet/);
  });

  it("ends, and closes its connection, when the operation ends while a server says nothing", async () => {
    const operation = new AbortController();
    let closed: Promise<unknown> | undefined;
    greet = (socket) => {
      socket.resume();
      closed = once(socket, "close");
      operation.abort(new Error("the time is over"));
    };
    await assert.rejects(dialled(operation.signal), /the time is over/);
    await closed;
    await leftAlone(operation.signal);
  });
});
