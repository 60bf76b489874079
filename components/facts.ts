import * as z from "zod";

/**
 * What components say of themselves, by their types. Each passes its record as its input `facts`: the engine has that
 * before anything of the component is made, so it is also in the state that a killed run leaves, in a preview and in
 * the engine's events. Only plain values: whatever is in a component waits for its inputs.
 *
 * What is known later is an output: `connection` of a machine, `kubeconfig` of a cluster.
 */
export const componentFacts = {
  "kindows:network:LabNetwork": z.object({
    /** Of libvirt's and Docker's network. */
    name: z.string(),
    cidr: z.string(),
    bridge: z.string(),
    /** Part of `cidr` that Docker gives to containers. */
    containerRange: z.string(),
  }),
  /** Host of a network fabric: `local`, or a hypervisor's name. */
  "kindows:network:FabricHost": z.object({ host: z.string() }),
  "kindows:controlplane:KindCluster": z.object({
    name: z.string(),
    image: z.string(),
    /** Names of containers and nodes. */
    controlPlanes: z.array(z.string()),
    podCidr: z.string(),
    serviceCidr: z.string(),
  }),
  /** Of container and node. */
  "kindows:controlplane:LinuxWorker": z.object({ name: z.string() }),
  "kindows:machine:MachineStorage": z.object({
    /** Where it is, if not on this host. */
    hypervisor: z
      .object({
        name: z.string(),
        /** As the settings have it. */
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
    /** Folder of Test-WindowsHost on the machine. */
    checkFolder: z.string(),
  }),
  "kindows:linux:LinuxNode": z.object({ node: z.string() }),
};

export type FactsType = keyof typeof componentFacts;

export type Facts<T extends FactsType> = z.infer<(typeof componentFacts)[T]>;

/** What every component that is a machine says, whoever makes it; and as an output, how it is logged in to. */
export const machineFacts = z.object({ node: z.string() });

export function isMachine(type: string): boolean {
  return /^kindows:machine:\w+Machine$/.test(type);
}
