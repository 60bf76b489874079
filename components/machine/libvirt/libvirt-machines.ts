import { hypervisorConnections, type HypervisorConnection } from "./hypervisor-connections.ts";
import { thisHypervisor } from "../../../config/sections/machine-host.ts";
import { segmentOf } from "../../../config/address-plan.ts";
import { domainName, labNames, poolFolderOf, remotePool } from "../../../config/names.ts";
import { libvirtSegment } from "../../network/lab-network.ts";
import { addressReservation } from "../address-reservation.ts";
import { linuxBootSeconds } from "../../linux/steps.ts";
import { defaultTimeouts } from "../../windows/node-step.ts";
import { type MachinesLab, type MakeMachine, virtualMachine } from "../machine-maker.ts";
import { LibvirtMachine, type MachineSegment } from "./libvirt-machine.ts";
import { MachineStorage, type MachineStorageArgs } from "./machine-storage.ts";
import type { HypervisorsSection } from "./settings.ts";
import { hypervisorProvider } from "./hypervisor-provider.ts";
import { isRouted } from "../../network/fabric/fabric-ends.ts";
import type { NodeSettings } from "../../../config/sections/nodes.ts";
import { imageSource } from "../../../config/image-sources.ts";

interface MachineHost {
  readonly domainType: "kvm" | "qemu";
  /** Storage of the machines' disks. */
  readonly storageArgs: Omit<MachineStorageArgs, "image" | "within">;
  /** How a node's machine is connected to the segment. */
  segment(this: void, node: NodeSettings): MachineSegment;
}

/** Returns the functions that make machines on this host and on the other hypervisors that have nodes. */
export function machinesOn(
  lab: MachinesLab<HypervisorsSection>,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, MakeMachine> {
  const used = new Set(placed.map(({ hypervisor }) => hypervisor));
  // A lab keeps its pool while it has no node, but one with only the user's own machines never gets any.
  const isHere = used.has(thisHypervisor) || lab.settings.ownNodes.length === 0;
  const further = hypervisorConnections(lab.settings).filter(({ name }) => used.has(name));
  return new Map([
    ...(isHere ? [[thisHypervisor, maker(lab, thisHypervisor, here(lab))] as const] : []),
    ...further.map((one) => [one.name, maker(lab, one.name, elsewhere(lab, one))] as const),
  ]);
}

/** All machines on a hypervisor share a pool, and those with the same operating system share an image. */
function maker(
  lab: MachinesLab<HypervisorsSection>,
  hypervisor: string,
  { domainType, storageArgs, segment }: MachineHost,
): MakeMachine {
  const { settings, images, parent } = lab;
  const suffix = hypervisor === thisHypervisor ? "" : `-${hypervisor}`;
  const storage = new MachineStorage(
    `machines${suffix}`,
    { ...storageArgs, image: images.windows },
    { parent },
  );
  let linuxStorage: MachineStorage | undefined;
  const linuxImageBeside = (): MachineStorage =>
    new MachineStorage(
      `linux-machines${suffix}`,
      {
        ...storageArgs,
        image: images.linux(),
        // The prefix starts with the pool's name, by which storage.ts recognizes the lab's volumes.
        within: { storage, imagePrefix: `${storageArgs.poolName}-linux` },
      },
      { parent },
    );
  const windows = {
    os: "windows",
    storage,
    uefi: images.windows?.uefi,
    guest: imageSource(settings).system,
    bootSeconds: defaultTimeouts.bootSeconds,
  } as const;
  const linux = { os: "linux", guest: "linux", bootSeconds: linuxBootSeconds } as const;
  return (node) =>
    new LibvirtMachine(
      node.name,
      {
        ...virtualMachine(lab, node),
        ...(node.os === "windows"
          ? windows
          : { ...linux, storage: (linuxStorage ??= linuxImageBeside()) }),
        domainName: domainName(settings.lab.name, node.name),
        domainType,
        segment: segment(node),
        libvirtProvider: storageArgs.libvirtProvider,
      },
      { parent },
    );
}

function here({ settings, network, libvirtProvider, labId }: MachinesLab): MachineHost {
  const names = labNames(settings.lab.name);
  const { uri, domainType } = settings.hypervisor;
  const poolPath = poolFolderOf(settings);
  return {
    domainType,
    storageArgs: { uri, poolName: names.pool, poolPath, libvirtProvider, labId },
    segment: () => ({ kind: "network", networkId: network.networkId }),
  };
}

/**
 * A hypervisor on another host. It has its own pool with a copy of the image. Its machines are on a bridge that is
 * connected to the lab's segment or, with a routed fabric, on a segment of their own.
 */
function elsewhere(
  lab: MachinesLab<HypervisorsSection>,
  connection: HypervisorConnection,
): MachineHost {
  const { settings, fabric, labId, parent } = lab;
  const { name, uri, virshUri, domainType } = connection;
  const pool = remotePool(settings.lab.name, name);
  const libvirtProvider = hypervisorProvider(`hypervisor-${name}`, connection.providerUri, {
    parent,
  });
  const bridge = connection.bridge ?? settings.network.bridge;
  const connected = [thisHypervisor, name].flatMap((host) => fabric.get(host) ?? []);
  const own = isRouted(settings)
    ? libvirtSegment(
        `lab-${name}`,
        {
          name: pool.name,
          mode: "route",
          bridge,
          cidr: segmentOf(settings, name),
          domain: settings.network.domain,
          mtu: settings.network.mtu,
          dnsForwarders: settings.network.dnsForwarders,
          labId,
        },
        { parent, provider: libvirtProvider },
      )
    : undefined;
  const bridged = (node: NodeSettings): MachineSegment => ({
    kind: "bridge",
    bridge,
    connected,
    reserve: (parent) => addressReservation(lab, node, parent),
  });
  return {
    domainType,
    storageArgs: {
      uri: virshUri,
      hypervisor: { name, uri, virshUri },
      libvirtProvider,
      labId,
      poolName: pool.name,
      poolPath: pool.folder,
    },
    segment:
      own === undefined ? bridged : () => ({ kind: "network", networkId: own.id, connected }),
  };
}
