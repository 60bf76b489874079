import { thisHypervisor } from "../config/sections/machine-host.ts";
import { machineNodes, type Settings } from "../config/settings.ts";
import { controlPlaneNames, domainName, labNames, linuxWorkerName } from "../config/names.ts";
import { machineOverheadMiB } from "../config/placement.ts";
import type { HostFacts } from "./host-facts.ts";

/** What one thing still to be made takes. */
export interface Need {
  /** What it is, for people. */
  readonly what: string;
  readonly memoryMiB: number;
  readonly poolGiB: number;
  readonly dockerGiB: number;
  /** inotify instances of root's. */
  readonly inotifyInstances: number;
}

/** Seen: 670 MiB for a control plane just up. A worker has neither API server nor etcd; its figure is an estimate. */
const controlPlaneMiB = 1024;
const workerMiB = 512;
const containerGiB = 1;

/** Counted: 27 of a control plane's programs, 14 of those a worker has as well; and one for what else may come. */
const controlPlaneInstances = 28;
const workerInstances = 15;

/** kind's node image (1 GB unpacked) beside the archive it is loaded from. */
const nodeImageGiB = 2;

/**
 * What the golden image takes, and how far a machine's disk grows above it until the first pods run: estimates on the
 * safe side. A Server Core installation fits into 15 GB; the container images of Windows itself are some GB each.
 */
const disks = {
  linux: { imageGiB: 1, growthGiB: 3 },
  rehearsal: { imageGiB: 1, growthGiB: 1 },
  windows: { imageGiB: 12, growthGiB: 15 },
} as const;

/** Everything of a lab that is not running yet, and what it takes. */
export function needs(
  settings: Settings,
  { docker, libvirt }: Pick<HostFacts, "docker" | "libvirt">,
): Need[] {
  const { kindCluster, pool } = labNames(settings.lab.name);
  const disk = disks[settings.windows.image.kind === "rehearsal" ? "rehearsal" : "windows"];
  const domains = libvirt.reachable ? libvirt.domains : [];
  const containers = (docker.reachable ? docker.containers : []).filter(
    (one) => one.kindCluster === kindCluster,
  );
  const pools = libvirt.reachable ? libvirt.pools : [];

  const here = machineNodes(settings).filter(({ hypervisor }) => hypervisor === thisHypervisor);
  const machines = here.flatMap((node): Need[] => {
    const domain = domains.find(({ name }) => name === domainName(settings.lab.name, node.name));
    const { growthGiB } = node.os === "linux" ? disks.linux : disk;
    return domain?.running === true
      ? []
      : [
          {
            what: `machine ${node.name}`,
            memoryMiB: node.memoryMiB + machineOverheadMiB,
            poolGiB: domain === undefined ? Math.min(growthGiB, node.diskGiB) : 0,
            dockerGiB: 0,
            inotifyInstances: 0,
          },
        ];
  });
  const linuxNodes = [
    ...controlPlaneNames(kindCluster, settings.cluster.controlPlanes).map((name) => ({
      name,
      memoryMiB: controlPlaneMiB,
      inotifyInstances: controlPlaneInstances,
    })),
    ...settings.cluster.workers.map((worker) => ({
      name: linuxWorkerName(kindCluster, worker.name),
      memoryMiB: workerMiB,
      inotifyInstances: workerInstances,
    })),
  ].filter(({ name }) => !containers.some((one) => one.name === name && one.running));
  return [
    ...machines,
    ...linuxNodes.map(({ name, memoryMiB, inotifyInstances }) => ({
      what: `container ${name}`,
      memoryMiB,
      poolGiB: 0,
      dockerGiB: containerGiB,
      inotifyInstances,
    })),
    ...images(
      pools.some(({ name }) => name === pool),
      containers.length > 0,
      disk.imageGiB + (here.some(({ os }) => os === "linux") ? disks.linux.imageGiB : 0),
    ),
  ];
}

/** The two images, where nothing has been made of them yet. */
function images(hasPool: boolean, hasContainers: boolean, imageGiB: number): Need[] {
  const image = { memoryMiB: 0, poolGiB: 0, dockerGiB: 0, inotifyInstances: 0 };
  return [
    ...(hasPool ? [] : [{ ...image, what: "image of the machines", poolGiB: imageGiB }]),
    ...(hasContainers ? [] : [{ ...image, what: "kind's node image", dockerGiB: nodeImageGiB }]),
  ];
}
