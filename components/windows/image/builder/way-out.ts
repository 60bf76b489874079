import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import ipaddr from "ipaddr.js";

const longestRequest = 8 * 1024;
/** Registries are reached through TLS only. */
const tlsPort = 443;
const connectSeconds = 20;

/**
 * A tunnelling proxy (CONNECT, RFC 9110, section 9.3.6) for the machine that an image is built on. The machine has no other
 * network; through its SSH session, and only as long as that lasts, it reaches the given registries and, on the public
 * internet, what these refer it to through TLS, but nothing else in this host's networks.
 *
 * @param registries as host and port; these may have any address.
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

/** @throws with the answer for the machine. */
async function answer(connection: Duplex, registries: ReadonlySet<string>): Promise<void> {
  const request = await readRequest(connection);
  const [, host = "", port] = /^CONNECT ([-.\w]+):([0-9]+) HTTP\/1\.[01]\r\n/.exec(request) ?? [];
  const isNamed = registries.has(`${host}:${port}`);
  if (host === "" || (Number(port) !== tlsPort && !isNamed)) {
    throw new Error(`only tunnels to registries, and to port ${tlsPort}, are made here`);
  }
  const { address } = await lookup(host);
  if (!isNamed && ipaddr.process(address).range() !== "unicast") {
    throw new Error(`${host} is ${address}, which is no address of the Internet`);
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

/** Reads up to the empty line; the client then waits for an answer. */
function readRequest(connection: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) {
        connection.off("data", read);
        connection.pause();
        resolve(text);
      } else if (text.length > longestRequest) {
        reject(new Error("the request is too long"));
      }
    };
    connection.on("data", read);
    connection.once("close", () => reject(new Error("no request came")));
  });
}

/** Port on the loopback of a machine that an image is built on; see way-out.ts. */
export const wayOutPort = 3128;

/** Proxy by which such a machine reaches registries. */
export const wayOut = `http://127.0.0.1:${wayOutPort}`;
