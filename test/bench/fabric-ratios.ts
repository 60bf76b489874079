import { fabrics, type FabricName } from "../../components/network/fabric/fabrics.ts";
import { HostNamespaces } from "../e2e-full/outside/host-namespaces.ts";
import type { Ratio } from "./report.ts";

const [bytes, rounds] = [200_000_000, 2000];
const hosts = ["local", "r2"] as const;

interface Times {
  /** Seconds for `bytes` over one TCP connection. */
  readonly transfer: number;
  /** Seconds from one machine to the other and back. */
  readonly roundTrip: number;
}

/**
 * Time of a TCP transfer and of a round trip between machines on two hosts, for each fabric, over that of `bridge`.
 * Network namespaces simulate hosts and machines. Open vSwitch forwards in user space, much slower than with its
 * kernel module.
 */
export async function fabricRatios(): Promise<readonly Ratio[]> {
  const base = await timesOf("bridge");
  const ratios: Ratio[] = [];
  for (const fabric of Object.keys(fabrics) as FabricName[]) {
    if (fabric === "bridge") continue;
    const measured = await timesOf(fabric);
    for (const [key, what] of [
      ["transfer", "a TCP transfer between hosts"],
      ["roundTrip", "a round trip between hosts"],
    ] as const) {
      const times = { measured: measured[key], base: base[key] };
      ratios.push({ what: `${what}, ${fabric} / bridge`, ...times, aim: "no aim" });
    }
  }
  return ratios;
}

async function timesOf(fabric: FabricName): Promise<Times> {
  const lab = new HostNamespaces("kwb", fabric, hosts, 1600);
  try {
    await lab.make();
    await lab.connect(hosts);
    // OVN needs some seconds.
    for (let tries = 0; tries < 10 && !(await lab.isConnected(...hosts)); tries++);
    const transfer = await lab.transfer(...hosts, bytes);
    return { transfer, roundTrip: await lab.roundTrip(...hosts, rounds) };
  } finally {
    await lab.remove();
  }
}
