/** Where one node's machine runs, and why. */
export interface Placement {
  readonly node: string;
  /** Name of a hypervisor; `local` for the one of this host. */
  readonly hypervisor: string;
  /** Taken from the hypervisor's memory, in MiB. */
  readonly memoryMiB: number;
  /** For people. */
  readonly reason: string;
}
