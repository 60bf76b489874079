import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { dial } from "../../../../ssh/dial.ts";
import { type Extent, playedPlaces } from "./extent.ts";
import { type Lab, operation, withLab } from "./lab.ts";
import { codeOf, lacks, mayYetEnd } from "./play.ts";
import { type Row, rows } from "./rows.ts";
import { sideBySide } from "./extent.ts";

/** Which way bytes go. */
type Direction = "toMachine" | "fromMachine";

/** A place in the stream of one connection. */
interface Place {
  readonly direction: Direction;
  /** So many bytes pass, and not one more of either direction. */
  readonly bytes: number;
}

/** Stands before a machine's SSH port, counts what passes, and cuts where it is asked to. */
class CuttingProxy {
  /** Bytes that have passed in the last connection. */
  passed: Record<Direction, number> = { toMachine: 0, fromMachine: 0 };
  /** Whether the place has been reached. */
  wasCut = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #place: Place | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(machinePort: number): Promise<CuttingProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new CuttingProxy(server);
    server.on("connection", (socket) => proxy.#take(socket, machinePort));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    return address.port;
  }

  /** The first connection that gets so far ends there; those after it are left alone. */
  cutAt(place: Place | undefined): void {
    this.#place = place;
    this.wasCut = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(near: Socket, machinePort: number): void {
    const far = connect({ port: machinePort, host: "127.0.0.1", noDelay: true });
    const passed = { toMachine: 0, fromMachine: 0 };
    this.passed = passed;
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    const relay = (from: Socket, to: Socket, direction: Direction): void => {
      from.on("data", (chunk: Buffer) => {
        if (from.destroyed || to.destroyed) return;
        const place = this.#place;
        const left =
          place?.direction === direction
            ? Math.max(0, place.bytes - passed[direction])
            : Number.POSITIVE_INFINITY;
        const part = chunk.subarray(0, left);
        passed[direction] += part.length;
        if (left > chunk.length) {
          to.write(part);
          return;
        }
        this.wasCut = true;
        this.#place = undefined;
        to.write(part, end);
      });
    };
    relay(near, far, "toMachine");
    relay(far, near, "fromMachine");
  }
}

/** Places in each direction of a connection: while it logs in, and after that. */
const placesInLogin = 3;
const placesAfter = 8;
/** Machines under way side by side. */
const atOnce = 4;

/** How many places each row is cut at. */
export const placesOfRow = 2 * (placesInLogin + placesAfter);

/** What is wrong after the cuts, by row; empty where nothing is. */
export type AnyByteResults = ReadonlyMap<Row, readonly string[]>;

/** Bytes that a connection carries: until it has logged in, and in all. */
interface Stream {
  readonly login: Record<Direction, number>;
  readonly total: Record<Direction, number>;
}

/**
 * Cuts the connection of each row at places that are spread over all of its stream, both ways: each machine becomes a node
 * with one cut in each of its steps, which is run again after that, and is reset in the same way.
 */
export async function cutAtAnyByte(extent: Extent, end?: AbortSignal): Promise<AnyByteResults> {
  const streams = await measured();
  const results = new Map(rows.map((row) => [row, [] as string[]]));
  const directions: readonly Direction[] = ["toMachine", "fromMachine"];
  const plans = directions.flatMap((direction) =>
    playedPlaces(placesInLogin + placesAfter, extent).map((at) => ({ direction, index: at - 1 })),
  );
  await sideBySide(plans, atOnce, end, ({ direction, index }) =>
    withCutMachine(async (lab, proxy) => {
      for (const row of rows) {
        const stream = streams.get(row);
        if (stream === undefined) throw new Error(`${row} was not measured`);
        const place = { direction, bytes: placeIn(stream, direction, index) };
        const problems = await cutOnce(lab, proxy, row, place);
        // The last of each kind: what the cuts before have left shows here.
        if (row === "Set-ClusterRoute" || row === "Reset-Node") {
          await lab.settled();
          problems.push(...(await lab.problems(row)));
        }
        const where = `after ${place.bytes} bytes ${direction}`;
        results.get(row)?.push(...problems.map((problem) => `${where}: ${problem}`));
      }
    }),
  );
  return results;
}

/** Byte of the stream that is the last to pass, evenly spread. */
function placeIn({ login, total }: Stream, direction: Direction, index: number): number {
  const inLogin = login[direction];
  if (index < placesInLogin) return Math.floor((inLogin * (index + 0.5)) / placesInLogin);
  const after = total[direction] - inLogin;
  return inLogin + Math.floor((after * (index - placesInLogin + 0.5)) / placesAfter);
}

async function cutOnce(lab: Lab, proxy: CuttingProxy, row: Row, place: Place): Promise<string[]> {
  proxy.cutAt(place);
  const first = await lab.run(row);
  if (!proxy.wasCut) return ["the connection had ended before"];
  if (first === undefined) return [];
  const code = codeOf(first);
  if (code !== undefined) return [`it ended with ${code} instead of a lost connection`];
  let again = await lab.run(row);
  if (mayYetEnd(again)) again = await lab.run(row);
  return [
    ...lacks(first, row).map((what) => `its error has not ${what}: ${first}`),
    ...(again === undefined ? [] : [`the next up failed: ${again}`]),
  ];
}

/** What each row sends and is sent where nothing is cut. */
function measured(): Promise<ReadonlyMap<Row, Stream>> {
  return withCutMachine(async (lab, proxy) => {
    const ssh = await dial(lab.connection(), operation("login"));
    const login = { ...proxy.passed };
    ssh.close();
    const streams = new Map<Row, Stream>();
    for (const row of rows) {
      const error = await lab.run(row);
      if (error !== undefined) throw new Error(error);
      streams.set(row, { login, total: { ...proxy.passed } });
    }
    return streams;
  });
}

function withCutMachine<T>(work: (lab: Lab, proxy: CuttingProxy) => Promise<T>): Promise<T> {
  return withLab(undefined, async (lab) => {
    const proxy = await CuttingProxy.open(lab.host.port);
    lab.port = proxy.port;
    try {
      return await work(lab, proxy);
    } finally {
      proxy.close();
    }
  });
}
