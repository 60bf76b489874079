import { addressPlan } from "../../../config/address-plan.ts";

/** Everything that is there before kindows is called this, or begins with it: nothing of it looks like a lab's. */
export const outside = "outside";

/** Where the machines and the cluster are; no test's lab has that range. */
export const segment = addressPlan("192.168.158.0/24");

/** Bridge of the segment. */
export const bridge = "outside0";

/** Folder of the machines' disks, where libvirt may read. */
export const imagesFolder = "/var/lib/libvirt/images/outside";

/** Node of the cluster, and its container. */
export const controlPlane = `${outside}-control-plane`;
