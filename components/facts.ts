import * as z from "zod";

/**
 * The facts that each type of component publishes about itself. A component passes them as its input `facts`, which the
 * engine records before it creates anything in the component. So they are also in the state after a killed run, in
 * previews and in the engine's events. They must be plain values, because all children of a component wait for its
 * inputs.
 *
 * Values that are known only later are outputs: `connection` of a machine, `kubeconfig` of a cluster.
 */
export const componentFacts = {
  "kindows:network:LabNetwork": z.object({
    /** Name of Docker's network, and of libvirt's unless that was there before. */
    name: z.string(),
    cidr: z.string(),
    bridge: z.string(),
    /** Part of `cidr` that Docker gives to containers; undefined if `up` chooses it. */
    containerRange: z.string().optional(),
    /** Name of the libvirt network that was there before. */
    libvirtNetwork: z.string().optional(),
  }),
  /** Host of a network fabric: `local`, or a hypervisor's name. */
  "kindows:network:FabricHost": z.object({ host: z.string() }),
  "kindows:controlplane:KindCluster": z.object({
    name: z.string(),
    image: z.string(),
    /** Names of the control plane containers, which are also their nodes' names. */
    controlPlanes: z.array(z.string()),
    podCidr: z.string(),
    serviceCidr: z.string(),
    /** The user installs the pod network: until then, nodes are not Ready. */
    awaitsPodNetwork: z.boolean().optional(),
  }),
  "kindows:controlplane:LinuxWorker": z.object({ name: z.string() }),
  "kindows:machine:MachineStorage": z.object({
    /** The hypervisor, unless it is this host. */
    hypervisor: z
      .object({
        name: z.string(),
        /** As in the settings. */
        uri: z.string(),
        virshUri: z.string(),
      })
      .optional(),
  }),
  "kindows:machine:LibvirtMachine": z.object({
    node: z.string(),
    os: z.enum(["windows", "linux"]),
    address: z.string(),
    cpus: z.number(),
    memoryMiB: z.number(),
    diskGiB: z.number(),
    domainType: z.enum(["kvm", "qemu"]),
  }),
  "kindows:machine:HyperVMachine": z.object({ node: z.string() }),
  "kindows:machine:ExistingMachine": z.object({ node: z.string() }),
  "kindows:windows:WindowsNode": z.object({
    node: z.string(),
    /** Folder on the machine with the script Test-WindowsHost. */
    checkFolder: z.string(),
  }),
  "kindows:linux:LinuxNode": z.object({ node: z.string() }),
};

export type FactsType = keyof typeof componentFacts;

export type Facts<T extends FactsType> = z.infer<(typeof componentFacts)[T]>;

/** The facts that all machine components have in common. */
export const machineFacts = z.object({ node: z.string() });

export function isMachine(type: string): boolean {
  return /^kindows:machine:\w+Machine$/.test(type);
}
