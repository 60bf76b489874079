import type { HostResource, ResourceKind } from "../../components/host-resource.ts";
import { actionParameter } from "../../components/host-action/action-parameter.ts";
import { statesOf } from "../../components/machine/libvirt/pools-and-networks.ts";
import { dhcpHosts, dhcpHostXml } from "../../components/machine/libvirt/dhcp-hosts.ts";
import { containersSchema, labOfHost } from "../../components/network/lab-hosts.ts";
import { type Host, unlessGone } from "../../host/host.ts";
import { virsh } from "../../host/virsh.ts";
import { byHostActions } from "./containers.ts";

const kind = "address reservations";

/** The addresses that labs have reserved for kind's containers, in libvirt networks which were there before. */
export const addressReservations: ResourceKind = {
  kind,

  find: async (host) => {
    const names = [...(await statesOf(host, "net")).keys()];
    const found = await Promise.all(
      names.map(async (network): Promise<HostResource[]> => {
        const labs = new Map(
          (await hostsIn(host, network)).flatMap((each) => {
            const of = labOfHost(each);
            return of === undefined ? [] : [[of.id, of.lab] as const];
          }),
        );
        return [...labs].map(([id, lab]) => ({
          ...{ kind, lab, name: network, mark: id, locator: id },
          identity: identity(network, id),
        }));
      }),
    );
    return found.flat();
  },

  remove: async ({ name, locator }, host) => {
    const live = (await statesOf(host, "net")).get(name) === "active" ? ["--live"] : [];
    const own = (await hostsIn(host, name)).filter((each) => labOfHost(each)?.id === locator);
    for (const each of own) {
      const entry = ["ip-dhcp-host", dhcpHostXml(each)];
      await virsh(host, "net-update", name, "delete", ...entry, "--config", ...live);
    }
  },

  byHand: ({ name, lab, locator }, { libvirtUri }) =>
    `virsh -c ${libvirtUri} net-edit ${name}   # delete the lines of ${lab}-${locator}-...; then net-destroy and net-start`,

  // Without them the containers keep their addresses, so nothing has to be made again.
  owned: byHostActions((resource, component) => {
    if (component !== "kindows:network:LabNetwork") return [];
    const { network, id } = actionParameter(resource, "CONTAINERS", containersSchema);
    return [{ identity: identity(network, id), essential: false }];
  }),
};

const identity = (network: string, id: string): string => `${kind} ${network} ${id}`;

/** None if the network has been removed in the meantime. */
async function hostsIn(host: Host, network: string): Promise<ReturnType<typeof dhcpHosts>> {
  const described = await virsh(host, "net-dumpxml", "--inactive", network).catch(
    unlessGone(network, async () => [...(await statesOf(host, "net")).keys()]),
  );
  return dhcpHosts(described ?? "");
}
