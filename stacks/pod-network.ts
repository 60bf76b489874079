import { Calico } from "../components/cni/calico/calico.ts";
import { calicoRelease } from "../components/cni/calico/release.ts";
import { Flannel } from "../components/cni/flannel/flannel.ts";
import { kindDefault } from "../components/cni/kind-default.ts";
import type { WindowsPodNetwork } from "../components/cni/node-steps.ts";
import type { PodNetwork } from "../components/cni/pod-network.ts";
import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import type { Settings } from "../config/settings.ts";

/** The pod network that settings ask for. */
export interface ChosenPodNetwork {
  /** What of it there is on Windows nodes. */
  readonly onWindows: WindowsPodNetwork;
  /** Installs it into a cluster that was made for it. */
  install(controlPlane: ControlPlane): PodNetwork;
}

const none = { kind: "none" } as const;

export function podNetwork({
  cni,
  cluster,
  network,
  nodes,
  windows,
}: Pick<Settings, "cni" | "cluster" | "network" | "nodes" | "windows">): ChosenPodNetwork {
  switch (cni.kind) {
    case "calico": {
      const { version, encapsulation, bgp, mtu, felix } = cni.calico;
      return {
        onWindows: { kind: "calico" },
        install: (controlPlane) =>
          new Calico("calico", {
            controlPlane,
            release: calicoRelease(version),
            network: { encapsulation, bgp, mtu, windows: nodes.length > 0 },
            configuration: { felix },
          }),
      };
    }
    case "flannel": {
      const { backend } = cni.flannel;
      const { podCidr, serviceCidr } = cluster;
      // A rehearsed node's pods have no network.
      const rehearsed = windows.image.kind === "rehearsal";
      const ranges = { podCidr, serviceCidr, nodeCidr: network.cidr };
      return {
        onWindows: rehearsed ? none : { kind: "flannel", network: { backend, ...ranges } },
        install: (controlPlane) =>
          new Flannel("flannel", {
            controlPlane,
            backend,
            windows: nodes.length > 0 && !rehearsed,
          }),
      };
    }
    case "kind-default":
      return { onWindows: none, install: kindDefault };
  }
}
