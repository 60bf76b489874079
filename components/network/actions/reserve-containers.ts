/**
 * Host action: reserves a block of addresses for kind's containers in the DHCP server of a libvirt network that was there
 * before the lab, and prints the block. `--release` removes these reservations, and succeeds if the network is gone.
 *
 * Reservations carry the lab's random id in their names. Others are never changed.
 */
import * as z from "zod";
import { addressNumber, contains, parseRange, rangeText } from "../../../config/ipv4.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { addressesOf, findNetwork, freeBlock, isComplaint } from "../found-network.ts";
import { containerHost, containersSchema, labHostsIn, update } from "../lab-hosts.ts";

export const environment = { CONTAINERS: containersSchema, AVOID: z.array(z.string()) };

await runAction(environment, async ({ CONTAINERS: containers, AVOID }) => {
  const { uri, network, prefixLength } = containers;
  if (process.argv.includes("--release")) {
    const released = await labHostsIn(containers);
    await update(containers, "delete", released);
    if (released.length > 0) say(`released ${released.length} addresses in ${network}`);
    return undefined;
  }
  const found = await findNetwork(uri, network);
  const called = `libvirt's network ${network}`;
  if (isComplaint(found)) throw new Error(`${called} ${found.why}. ${found.instead}`);
  // What a killed run has reserved is kept.
  const [before] = await labHostsIn(containers);
  const kept = before && parseRange(`${before.ip}/${prefixLength}`);
  const block = kept === undefined ? freeBlock(found, prefixLength, AVOID) : rangeText(kept);
  const range = parseRange(block ?? "");
  if (block === undefined || range === undefined) {
    throw new Error(
      `${called} has no block of ${2 ** (32 - prefixLength)} addresses, all of them free, for kind's containers: release some, or use another network`,
    );
  }
  const wanted = addressesOf(range).map((address) => containerHost(containers, address));
  await update(containers, "add-last", wanted);
  // The server may have given one away in the meantime.
  const now = await findNetwork(uri, network);
  const lost = (isComplaint(now) ? [] : now.taken).find(
    ({ address, by }) => by === "a DHCP lease" && contains(range, addressNumber(address) ?? 0),
  );
  if (lost !== undefined) {
    await update(containers, "delete", wanted);
    throw new Error(
      `${called} has just given ${lost.address} to ${lost.mac}, which was to be reserved: run again`,
    );
  }
  say(`reserved ${block} in ${network} for kind's containers`);
  return block;
});
