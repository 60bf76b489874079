/**
 * Host action: has the DHCP server of a libvirt network give a machine its address; with `--release` no longer, which is
 * fine when the network is gone already.
 */
import * as z from "zod";
import { runAction, say } from "../../host-action/run-action.ts";
import { dhcpHosts, dhcpHostXml, reserving } from "./dhcp-hosts.ts";
import { lines } from "../../../host/host.ts";
import { virsh } from "../../../host/virsh.ts";

export const environment = {
  RESERVATION: z.object({
    uri: z.string(),
    network: z.string(),
    mac: z.string(),
    address: z.string(),
    computerName: z.string(),
  }),
};

await runAction(environment, async ({ RESERVATION }) => {
  const { uri, network, address, computerName } = RESERVATION;
  const wanted = { mac: RESERVATION.mac.toLowerCase(), ip: address, name: computerName };
  const named = async (...which: string[]): Promise<boolean> =>
    lines(await virsh(uri, "net-list", "--name", ...which)).includes(network);
  const update = async (how: string, xml: string): Promise<void> => {
    const live = (await named()) ? ["--live"] : [];
    await virsh(uri, "net-update", network, how, "ip-dhcp-host", xml, "--config", ...live);
  };

  if (process.argv.includes("--release")) {
    if (!(await named("--all"))) return;
    const own = dhcpHosts(await virsh(uri, "net-dumpxml", network)).find(
      (host) => host.mac === wanted.mac,
    );
    if (own !== undefined) {
      await update("delete", dhcpHostXml(own));
      say(`released ${own.ip} of ${computerName}`);
    }
    return;
  }
  const todo = reserving(dhcpHosts(await virsh(uri, "net-dumpxml", network)), wanted);
  if (todo === undefined) return;
  if (typeof todo === "object") {
    const { name, mac } = todo.takenBy;
    throw new Error(
      `${address} is reserved for ${name || mac} in libvirt's network ${network}: ` +
        `give ${computerName} another address, or remove that (virsh net-update ${network} delete ip-dhcp-host ...)`,
    );
  }
  await update(todo, dhcpHostXml(wanted));
  say(`reserved ${address} for ${computerName}`);
});
