import { externalNetwork } from "../../windows/external-network.ts";
import type { PodNetworkDefinition } from "../pod-network.ts";
import { existingCalico } from "./existing.ts";
import { calicoImages, calicoRelease } from "./release.ts";
import { calicoChecks, type CalicoSection, calicoSettings } from "./settings.ts";

export const calico: PodNetworkDefinition<typeof calicoSettings, never, CalicoSection> = {
  title: "Calico",
  choice: "VXLAN, Windows too",
  settings: calicoSettings,
  checks: calicoChecks,
  linuxNodes: "awaited",
  // tigera/operator, pkg/render/windows.go: the CNI configuration has neither portmap nor the capability.
  lackingOnWindows: () => ({
    noWindowsHostPorts: "needs hostPort on Windows, which Calico does not have there",
  }),
  windowsAnnotation: "projectcalico.org/IPv4Address",
  programs: {},
  linuxImages: ({ calico: { version } }) => calicoImages(calicoRelease(version)),
  // The operator's registry and image names since 3.30 (its pkg/components).
  windowsImages: ({ calico: { version } }) => ({
    names: ["quay.io/calico/cni-windows", "quay.io/calico/node-windows"],
    version,
  }),
  onWindows: () => ({ kind: "calico" }),
  // Calico's agent on Windows runs in a pod and could create the HNS network, which interrupts connections, at any
  // time. Creating the network before the join avoids that.
  nodeSteps: { beforeJoin: externalNetwork(() => "External"), afterJoin: [] },
  existing: existingCalico,
  components: () => import("./calico.ts"),
};
