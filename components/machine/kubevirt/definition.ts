import { kubevirtChecks, kubevirtSettings } from "./settings.ts";

/** Machines on a cluster with KubeVirt; imports no Pulumi. */
export const kubevirt = {
  /** As people call it. */
  title: "KubeVirt",
  settings: kubevirtSettings,
  checks: kubevirtChecks,
  /** What commands do with the machines of a stack; needs no Pulumi. */
  stackMachines: () => import("./stack-machines.ts"),
  components: () => import("./kubevirt-machines.ts"),
} as const;
