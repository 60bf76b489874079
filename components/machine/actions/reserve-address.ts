/**
 * Host action: reserves a machine's address in the DHCP server of a libvirt network. `--release` removes the
 * reservation, and succeeds if the network does not exist.
 */
import * as z from "zod";
import { runAction, say } from "../../host-action/run-action.ts";
import { dhcpHosts, dhcpHostXml, reserving } from "../libvirt/dhcp-hosts.ts";
import { networkNames, virsh } from "../../../host/virsh.ts";

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
  const update = async (command: string, xml: string): Promise<void> => {
    const live = (await networkNames(uri, "active")).includes(network) ? ["--live"] : [];
    await virsh(uri, "net-update", network, command, "ip-dhcp-host", xml, "--config", ...live);
  };

  if (process.argv.includes("--release")) {
    if (!(await networkNames(uri, "all")).includes(network)) return;
    const own = dhcpHosts(await virsh(uri, "net-dumpxml", network)).find(
      (host) => host.mac === wanted.mac,
    );
    if (own !== undefined) {
      await update("delete", dhcpHostXml(own));
      say(`released ${own.ip} of ${computerName}`);
    }
    return;
  }
  const change = reserving(dhcpHosts(await virsh(uri, "net-dumpxml", network)), wanted);
  if (change === undefined) return;
  if (typeof change === "object") {
    const { name, mac } = change.takenBy;
    throw new Error(
      `${address} is reserved for ${name || mac} in libvirt's network ${network}: ` +
        `give ${computerName} another address, or remove that reservation (virsh net-update ${network} delete ip-dhcp-host ...)`,
    );
  }
  await update(change, dhcpHostXml(wanted));
  say(`reserved ${address} for ${computerName}`);
});
