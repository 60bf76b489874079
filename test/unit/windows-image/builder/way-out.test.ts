import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { registriesOf, wayOutTo } from "../../../../components/windows/image/builder/way-out.ts";
import { eachCase } from "../../each-case.ts";

async function listening(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe("the way out of a machine that an image is made on", () => {
  let registry: Server;
  let way: Server;

  before(async () => {
    registry = await listening((socket) => {
      socket.on("data", (chunk) => socket.end(`registry got ${chunk.toString()}`));
    });
    way = await listening(wayOutTo(new Set([`127.0.0.1:${portOf(registry)}`])));
  });
  after(() => {
    registry.close();
    way.close();
  });

  const answerTo = async (request: string, more = ""): Promise<string> => {
    const socket = connect(portOf(way), "127.0.0.1");
    socket.write(request);
    if (more !== "") {
      await once(socket, "readable");
      socket.write(more);
    }
    return text(socket);
  };

  it("leads to a registry that is named, whatever its address", async () => {
    const request = `CONNECT 127.0.0.1:${portOf(registry)} HTTP/1.1\r\nHost: x\r\n\r\n`;
    assert.equal(
      await answerTo(request, "hello"),
      "HTTP/1.1 200 Connection established\r\n\r\nregistry got hello",
    );
  });

  const refused: Readonly<Record<string, readonly [request: string, answer: RegExp]>> = {
    "this host's own ports": ["CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 502 only tunn/],
    "addresses that are not of the Internet": [
      "CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 502 127\.0\.0\.1 is 127\.0\.0\.1, which is no address of the Internet/,
    ],
    "a name for this host": [
      "CONNECT localhost:443 HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 502 localhost is \S+, which is no address of the Internet/,
    ],
    "anything but tunnels": ["GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 502 only tunnels/],
    "endless requests": ["x".repeat(9000), /^HTTP\/1\.1 502 the request is too long/],
    "registries that are not there": [
      "CONNECT registry.invalid:443 HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 502 .*registry\.invalid/,
    ],
  };
  eachCase("does not lead to %s, and says so", refused, async ([request, answer]) =>
    assert.match(await answerTo(request), answer),
  );

  it("knows registries by the images' names", () =>
    assert.deepEqual(
      [...registriesOf(["quay.io/calico/node-windows:v1", "quay.io/x:1", "lan.example:5000/x:1"])],
      ["quay.io:443", "lan.example:5000"],
    ));
});
