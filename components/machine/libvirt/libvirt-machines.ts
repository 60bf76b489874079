import type * as libvirt from "@pulumi/libvirt";
import { hypervisorConnections } from "./hypervisor-connections.ts";
import { thisHypervisor } from "../../../config/sections/machine-host.ts";
import { segmentOf } from "../../../config/address-plan.ts";
import { domainName, labNames, remotePool } from "../../../config/names.ts";
import type { NodeSettings, Settings } from "../../../config/settings.ts";
import { isRouted } from "../../network/fabric/fabric.ts";
import { libvirtSegment } from "../../network/lab-network.ts";
import { addressReservation } from "../address-reservation.ts";
import { linuxBootSeconds } from "../../linux/steps.ts";
import { defaultTimeouts } from "../../windows/node-step.ts";
import type { MachinesLab, MakeMachine } from "../machine-maker.ts";
import { LibvirtMachine, type MachineSegment } from "./libvirt-machine.ts";
import { macAddress } from "../mac-address.ts";
import { MachineStorage, type GoldenImage, type MachineStorageArgs } from "./machine-storage.ts";
import { hypervisorProvider } from "./hypervisor-provider.ts";

interface MachineHost {
  readonly libvirtProvider: libvirt.Provider;
  readonly domainType: "kvm" | "qemu";
  readonly storage: MachineStorage;
  /** Where that is. */
  readonly place: Pick<MachineStorageArgs, "uri" | "hypervisor" | "poolName" | "poolPath">;
  /** How the machine of a node gets on the lab's segment there. */
  segment(node: NodeSettings): MachineSegment;
}

/** The hypervisors machines are made on: that of this host, and further ones that have nodes. */
export function machinesOn(
  lab: MachinesLab,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, MakeMachine> {
  const used = new Set(placed.map(({ hypervisor }) => hypervisor));
  const further = hypervisorConnections(lab.settings).filter(({ name }) => used.has(name));
  return new Map([
    [thisHypervisor, maker(lab, thisHypervisor, here(lab))],
    ...further.map((one) => [one.name, maker(lab, one.name, elsewhere(lab, one))] as const),
  ]);
}

/** Machines of one system share an image, and all on one hypervisor a pool. */
function maker(lab: MachinesLab, hypervisor: string, host: MachineHost): MakeMachine {
  const { settings, images, login } = lab;
  let linuxStorage: MachineStorage | undefined;
  return (node) => {
    const { name, cpus, memoryMiB, diskGiB, address } = node;
    return new LibvirtMachine(name, {
      ...(node.os === "windows"
        ? { ...windowsSystem(settings, images.windows), storage: host.storage }
        : { ...linuxSystem, storage: (linuxStorage ??= linuxImageBeside(lab, hypervisor, host)) }),
      ...{ computerName: name, domainName: domainName(settings.lab.name, name) },
      ...{ cpus, memoryMiB, diskGiB, address },
      mac: macAddress(labNames(settings.lab.name).prefix, name),
      ...{ domainType: host.domainType, segment: host.segment(node), login: login(node.os) },
      libvirtProvider: host.libvirtProvider,
    });
  };
}

function here({ settings, images, network, libvirtProvider }: MachinesLab): MachineHost {
  const names = labNames(settings.lab.name);
  const { uri } = settings.hypervisor;
  const place = { uri, poolName: names.pool, poolPath: names.poolFolder };
  const segment = { kind: "network", networkId: network.networkId } as const;
  return {
    libvirtProvider,
    domainType: settings.hypervisor.domainType,
    place,
    storage: new MachineStorage("machines", { ...place, image: images.windows, libvirtProvider }),
    segment: () => segment,
  };
}

/**
 * Another host: a pool and a copy of the image of its own, and the segment by a bridge that is there, or one of its own by
 * a libvirt network.
 */
function elsewhere(
  lab: MachinesLab,
  connection: ReturnType<typeof hypervisorConnections>[number],
): MachineHost {
  const { settings, images, fabric } = lab;
  const { name, uri, virshUri, domainType } = connection;
  const pool = remotePool(settings.lab.name, name);
  const place = {
    ...{ uri: virshUri, hypervisor: { name, uri, virshUri } },
    ...{ poolName: pool.name, poolPath: pool.folder },
  };
  const libvirtProvider = hypervisorProvider(`hypervisor-${name}`, connection.providerUri);
  const bridge = connection.bridge ?? settings.network.bridge;
  const connected = [thisHypervisor, name].flatMap((host) => fabric.get(host) ?? []);
  const own = isRouted(settings)
    ? libvirtSegment(
        `lab-${name}`,
        {
          ...{ name: pool.name, mode: "route", bridge },
          ...{ cidr: segmentOf(settings, name), domain: settings.network.domain },
        },
        { provider: libvirtProvider },
      )
    : undefined;
  const bridged = (node: NodeSettings): MachineSegment => ({
    ...{ kind: "bridge", bridge, connected },
    reserve: (parent) => addressReservation(lab, node, parent),
  });
  return {
    libvirtProvider,
    domainType,
    place,
    storage: new MachineStorage(`machines-${name}`, {
      ...place,
      image: images.windows,
      libvirtProvider,
    }),
    segment:
      own === undefined ? bridged : () => ({ kind: "network", networkId: own.id, connected }),
  };
}

function windowsSystem({ windows: { image } }: Settings, { uefi }: GoldenImage) {
  return {
    os: "windows",
    guest: image.kind === "rehearsal" ? "rehearsal" : "windows",
    uefi,
    bootSeconds: defaultTimeouts.bootSeconds,
  } as const;
}

const linuxSystem = { os: "linux", guest: "linux", bootSeconds: linuxBootSeconds } as const;

function linuxImageBeside(
  { images }: MachinesLab,
  hypervisor: string,
  { place, storage, libvirtProvider }: MachineHost,
): MachineStorage {
  const name = hypervisor === thisHypervisor ? "linux-machines" : `linux-machines-${hypervisor}`;
  return new MachineStorage(name, {
    ...place,
    image: images.linux(),
    // The pool's name first: by that a run sees that it is there (storage.ts).
    within: { storage, imagePrefix: `${place.poolName}-linux` },
    libvirtProvider,
  });
}
