import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import ipaddr from "ipaddr.js";

const maxRequestBytes = 8 * 1024;
/** Registries are reached with TLS only. */
const tlsPort = 443;
const connectSeconds = 20;

/**
 * A tunnelling proxy (CONNECT, RFC 9110, section 9.3.6) for the machine that an image is built on, which has no other
 * network. The machine uses it through its SSH session, and only as long as that lasts. It reaches the given
 * registries, and any TLS server on the public internet because registries redirect to others, but nothing else in this
 * host's networks.
 *
 * @param registries registries as host and port. They may have any address, also a private one.
 */
export function wayOutTo(registries: ReadonlySet<string>): (connection: Duplex) => void {
  return (connection) => {
    connection.on("error", () => connection.destroy());
    answer(connection, registries).catch((error: unknown) => {
      const [why = ""] = (error as Error).message.split("\n");
      connection.end(`HTTP/1.1 502 ${why.replaceAll(/[^\x20-\x7e]/g, " ")}\r\n\r\n`);
    });
  };
}

/** Registries of images, as host and port: the part before the first slash of each reference. */
export function registriesOf(images: readonly string[]): ReadonlySet<string> {
  return new Set(
    images.map((image) => {
      const [host = ""] = image.split("/");
      return host.includes(":") ? host : `${host}:${tlsPort}`;
    }),
  );
}

/** @throws with the reason, which becomes the proxy's response. */
async function answer(connection: Duplex, registries: ReadonlySet<string>): Promise<void> {
  const request = await readRequest(connection);
  const [, host = "", port] = /^CONNECT ([-.\w]+):([0-9]+) HTTP\/1\.[01]\r\n/.exec(request) ?? [];
  const isRegistry = registries.has(`${host}:${port}`);
  if (host === "" || (Number(port) !== tlsPort && !isRegistry)) {
    throw new Error(`only tunnels to registries, and to port ${tlsPort}, are allowed`);
  }
  const { address } = await lookup(host);
  if (!isRegistry && ipaddr.process(address).range() !== "unicast") {
    throw new Error(`${host} is ${address}, which is not a public internet address`);
  }
  const target = connect({ host: address, port: Number(port) });
  await new Promise<void>((resolve, reject) => {
    target.setTimeout(connectSeconds * 1000, () => {
      target.destroy(new Error(`${host} did not answer within ${connectSeconds} s`));
    });
    target.once("connect", resolve);
    target.once("error", reject);
  });
  target.setTimeout(0);
  const end = (): void => {
    target.destroy();
    connection.destroy();
  };
  target.on("error", end);
  connection.on("error", end);
  connection.on("close", end);
  connection.write("HTTP/1.1 200 Connection established\r\n\r\n");
  connection.pipe(target);
  target.pipe(connection);
}

/** Reads up to the empty line, after which the client waits for the response. */
function readRequest(connection: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) {
        connection.off("data", read);
        connection.pause();
        resolve(text);
      } else if (text.length > maxRequestBytes) {
        reject(new Error("the request is too long"));
      }
    };
    connection.on("data", read);
    connection.once("close", () => reject(new Error("the connection closed without a request")));
  });
}

/** Port of the proxy on the loopback of the machine that an image is built on. */
export const wayOutPort = 3128;

/** Proxy by which that machine reaches registries. */
export const wayOut = `http://127.0.0.1:${wayOutPort}`;
