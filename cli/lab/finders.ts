import { bridges } from "./bridges.ts";
import { containers } from "./containers.ts";
import { dockerNetworks } from "./docker-networks.ts";
import { domains } from "./domains.ts";
import type { Finder } from "./lab-thing.ts";
import { kubeconfigContexts } from "./kubeconfig-contexts.ts";
import { libvirtNetworks } from "./libvirt-networks.ts";
import { onEachHypervisor } from "./on-each-hypervisor.ts";
import { poolFolders } from "./pool-folders.ts";
import { pools } from "./pools.ts";
import { processes } from "./processes.ts";
import { volumes } from "./volumes.ts";

/** Every kind of thing a lab leaves on a host, in the order they can be removed: users before what they use. */
export const finders: readonly Finder[] = [
  processes,
  onEachHypervisor(domains),
  onEachHypervisor(volumes),
  onEachHypervisor(pools),
  poolFolders,
  containers,
  dockerNetworks,
  libvirtNetworks,
  bridges,
  kubeconfigContexts,
];
