import { thisHypervisor } from "../config/sections/machine-host.ts";
import { machineNodes, type Settings } from "../config/settings.ts";
import { controlPlaneNames, domainName, labNames, linuxWorkerName } from "../config/names.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

const instead = "Rename or remove it, or write another kindows:lab.name.";

/** Machines, containers and the pool of the lab's names are the lab's, or not there. */
export function checkNames(settings: Settings, facts: HostFacts): HostProblem[] {
  return [...machines(settings, facts), ...pools(settings, facts), ...containers(settings, facts)];
}

/** A machine is the lab's when it is on the lab's network. */
function machines(settings: Settings, { libvirt }: HostFacts): HostProblem[] {
  const { lab } = settings;
  const names = machineNodes(settings)
    .filter(({ hypervisor }) => hypervisor === thisHypervisor)
    .map(({ name }) => domainName(lab.name, name));
  const domains = libvirt.reachable ? libvirt.domains : [];
  return domains
    .filter(
      ({ name, networks }) =>
        names.includes(name) && !networks.includes(labNames(lab.name).network),
    )
    .map(({ name }) => ({
      subject: `libvirt's machine ${name}`,
      why: "has the name of a node's, but is not on the lab's network",
      instead,
    }));
}

/** libvirt lets no two pools share a folder. */
function pools({ lab }: Settings, { libvirt }: HostFacts): HostProblem[] {
  const { pool, poolFolder } = labNames(lab.name);
  const all = libvirt.reachable ? libvirt.pools : [];
  return all
    .filter(({ name, path }) => (name === pool) !== (path === poolFolder))
    .map(({ name, path }) =>
      name === pool
        ? {
            subject: `libvirt's pool ${name}`,
            why: `has the lab's name, but is in ${path ?? "no folder"}`,
            instead,
          }
        : {
            subject: `libvirt's pool ${name}`,
            why: `is in the lab's folder ${poolFolder}`,
            instead,
          },
    );
}

/** A container is the lab's when kind says so. */
function containers({ lab, cluster }: Settings, { docker }: HostFacts): HostProblem[] {
  const ofLab = labNames(lab.name).kindCluster;
  const names = [
    ...controlPlaneNames(ofLab, cluster.controlPlanes),
    ...cluster.workers.map(({ name }) => linuxWorkerName(ofLab, name)),
  ];
  const all = docker.reachable ? docker.containers : [];
  return all
    .filter(({ name, kindCluster }) => names.includes(name) && kindCluster !== ofLab)
    .map(({ name }) => ({
      subject: `Docker's container ${name}`,
      why: "has the name of a node's, but is not of the lab's kind cluster",
      instead,
    }));
}
