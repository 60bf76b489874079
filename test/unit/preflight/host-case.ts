import type { HostFacts } from "../../../preflight/host-facts.ts";

/** A small lab that needs neither KVM nor Windows. */
export const rehearsal =
  "{ windows: { image: { kind: rehearsal }, memoryMiB: 3072, diskGiB: 8 }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, nodes: [{ name: win-1 }] }";
/** Two nodes from a prepared disk, on KVM. */
export const windows =
  "{ windows: { image: { kind: disk, path: /srv/win.qcow2 }, memoryMiB: 8192 }, cni: { kind: kind-default }, nodes: [{ name: win-1 }, { name: win-2 }] }";

/** A lab, a host, and what of the host is in the lab's way. */
export interface HostCase {
  readonly name: string;
  readonly settings: string;
  /** How the host differs from one that can have any lab. */
  readonly host: Partial<HostFacts>;
  readonly problems: readonly string[];
}
