import { externalNetwork } from "../../windows/external-network.ts";
import type { PodNetworkDefinition } from "../pod-network.ts";
import { existingOvnKubernetes } from "./existing.ts";
import { installHybridOverlay } from "./node-steps.ts";
import { ovnKubernetesPrograms } from "./release.ts";

export const ovnKubernetes: PodNetworkDefinition<undefined, keyof typeof ovnKubernetesPrograms> = {
  title: "OVN-Kubernetes",
  choice: "with its hybrid overlay, in existing clusters",
  settings: undefined,
  checks: [],
  linuxNodes: "in time",
  lackingOnWindows: () => ({}),
  programs: ovnKubernetesPrograms,
  onWindows: () => ({ kind: "none" }),
  nodeSteps: {
    // hybrid-overlay-node.exe creates its networks on the first network's switch. Creating that switch disconnects the
    // machine.
    beforeJoin: externalNetwork(() => "External"),
    afterJoin: [installHybridOverlay],
  },
  existing: existingOvnKubernetes,
  components: () => import("./hybrid-overlay.ts"),
};
