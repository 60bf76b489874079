import type { ClusterMaker } from "../machine-maker.ts";
import type * as components from "./kubevirt-machines.ts";
import { kubevirtChecks, type KubeVirtSection, kubevirtSettings } from "./settings.ts";

export const kubevirt: ClusterMaker<typeof kubevirtSettings, KubeVirtSection, typeof components> = {
  title: "KubeVirt",
  settings: kubevirtSettings,
  checks: kubevirtChecks,
  stackMachines: async () => {
    const { KubeVirtStack } = await import("./stack-machines.ts");
    return (machine, cluster, stack) => new KubeVirtStack(machine, cluster, stack);
  },
  components: () => import("./kubevirt-machines.ts"),
};
