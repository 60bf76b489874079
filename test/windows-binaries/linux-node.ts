import { once } from "node:events";
import { execa } from "execa";

import type { FlannelBackend } from "../../components/cni/flannel/flannel-config.ts";
import { linuxNode, ownPods } from "./flannel-node.ts";
import { nodeAddress } from "./test-programs.ts";

/** Name of its network namespace, as of the machine at the other end of the cable. */
const inside = "linux-node";

const commandMilliseconds = 20_000;

/** An address of its pods' range. */
export const linuxPod = "10.244.2.5";

const device = "flannel.4096";
const [linuxRouter = ""] = linuxNode.pods.split("/");

/** A Linux node with a pod, in a network namespace at the other end of the Windows node's cable, as Flannel makes its network. */
export class LinuxNode {
  /** Addresses that have asked its server. */
  readonly askedBy: string[] = [];
  /** Ends what runs in it. */
  readonly #stopped = new AbortController();

  private constructor(private readonly windowsPods: string) {}

  /** @param windowsPods the Windows node's part of the pods' range. */
  static async start(backend: FlannelBackend, windowsPods = ownPods): Promise<LinuxNode> {
    const node = new LinuxNode(windowsPods);
    await run("ip", "netns", "add", inside);
    await run("ip", "link", "set", "cable", "netns", inside);
    await node.ip("addr", "add", `${linuxNode.address}/24`, "dev", "cable");
    for (const name of ["lo", "cable"]) await node.ip("link", "set", name, "up");
    await node.ip("addr", "add", `${linuxPod}/32`, "dev", "lo");
    if (backend === "host-gw") await node.ip("route", "add", windowsPods, "via", nodeAddress);
    return node;
  }

  /** Makes its part of the overlay (flannel, pkg/backend/vxlan): the Windows node is behind its own MAC there. */
  async joinOverlay(windowsMac: string, vni = 4096, port = 4789): Promise<void> {
    const vxlan = ["id", String(vni), "dstport", String(port), "nolearning"];
    await this.ip("link", "add", device, "address", linuxNode.mac, "type", "vxlan", ...vxlan);
    await this.ip("link", "set", device, "mtu", "1450", "up");
    await this.ip("addr", "add", `${linuxRouter}/32`, "dev", device);
    const router = this.windowsPods.replace(/\/.*/, "");
    const neighbour = ["lladdr", windowsMac, "dev", device, "nud", "permanent"];
    await this.ip("neigh", "add", router, ...neighbour);
    await this.run("bridge", "fdb", "append", windowsMac, "dev", device, "dst", nodeAddress);
    await this.ip("route", "add", this.windowsPods, "via", router, "dev", device, "onlink");
  }

  /** Runs a program in its namespace. */
  run(...command: readonly string[]): Promise<string> {
    return run("ip", "netns", "exec", inside, ...command);
  }

  ip(...args: readonly string[]): Promise<string> {
    return this.run("ip", ...args);
  }

  /** What a URL answers to its pod. */
  get(url: string): Promise<string> {
    const curl = ["curl", "--silent", "--show-error", "--fail", "--max-time", "5"];
    return this.run(...curl, "--noproxy", "*", "--interface", linuxPod, url);
  }

  /** Serves HTTP at its pod's address. */
  serve(port: number): Promise<void> {
    return this.#start(
      `const server = require("node:http").createServer((request, response) => {
        console.log(request.socket.remoteAddress);
        response.end();
      });
      server.listen(${port}, "${linuxPod}", () => console.log("serves"));`,
      this.askedBy,
    );
  }

  /**
   * Serves DNS over UDP at its pod's address: these names with their addresses, and no others (RFC 1035, 4.1).
   */
  serveNames(addresses: Readonly<Record<string, string>>): Promise<void> {
    return this.#start(
      `const addresses = ${JSON.stringify(addresses)};
      function answerTo(message) {
        const labels = [];
        let end = 12;
        for (; message[end] !== 0; end += message[end] + 1) {
          labels.push(String(message.subarray(end + 1, end + 1 + message[end])));
        }
        const address = addresses[labels.join(".").toLowerCase()];
        const isForAddress = message.readUInt16BE(end + 1) === 1;
        const found = address && isForAddress ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split(".").map(Number)] : [];
        const counts = [0, 1, 0, found.length > 0 ? 1 : 0, 0, 0, 0, 0];
        const header = [...message.subarray(0, 2), 0x81, address ? 0x80 : 0x83, ...counts];
        return Buffer.from([...header, ...message.subarray(12, end + 5), ...found]);
      }
      const server = require("node:dgram").createSocket("udp4");
      server.on("message", (data, { port, address }) => server.send(answerTo(data), port, address));
      server.bind(53, "${linuxPod}", () => console.log("serves"));`,
    );
  }

  /** Runs a server until it listens, and then until the node's end. */
  async #start(program: string, lines: string[] = []): Promise<void> {
    const child = execa("ip", ["netns", "exec", inside, process.execPath, "--eval", program], {
      cancelSignal: this.#stopped.signal,
      reject: false,
    });
    await once(child.stdout, "data");
    child.stdout.on("data", (data: Buffer) => lines.push(...String(data).trim().split("\n")));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.ip("link", "set", "cable", "netns", String(process.pid));
    await run("ip", "netns", "delete", inside);
    await run("ip", "link", "set", "cable", "up");
  }
}

async function run(program: string, ...args: readonly string[]): Promise<string> {
  return (await execa(program, args, { timeout: commandMilliseconds })).stdout;
}
