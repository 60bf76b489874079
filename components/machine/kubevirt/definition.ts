import { kubevirtChecks, kubevirtSettings } from "./settings.ts";

/** Machines on a cluster with KubeVirt. Only `components` imports Pulumi. */
export const kubevirt = {
  title: "KubeVirt",
  settings: kubevirtSettings,
  checks: kubevirtChecks,
  /** Access of CLI commands to the machines of a stack. */
  stackMachines: () => import("./stack-machines.ts"),
  components: () => import("./kubevirt-machines.ts"),
} as const;
