import { Calico } from "../components/cni/calico/calico.ts";
import { calicoRelease } from "../components/cni/calico/release.ts";
import { Flannel } from "../components/cni/flannel/flannel.ts";
import { kindDefault } from "../components/cni/kind-default.ts";
import type { PodNetwork } from "../components/cni/pod-network.ts";
import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import type { Settings } from "../config/settings.ts";

/** The pod network the settings ask for, installed into a cluster that was made for it. */
export function podNetwork(
  { cni, nodes, windows }: Pick<Settings, "cni" | "nodes" | "windows">,
  controlPlane: ControlPlane,
): PodNetwork {
  switch (cni.kind) {
    case "calico": {
      const { version, encapsulation, bgp, mtu, felix } = cni.calico;
      return new Calico("calico", {
        controlPlane,
        release: calicoRelease(version),
        network: { encapsulation, bgp, mtu, windows: nodes.length > 0 },
        configuration: { felix },
      });
    }
    case "flannel":
      return new Flannel("flannel", {
        controlPlane,
        backend: cni.flannel.backend,
        // A rehearsed node's pods have no network.
        windows: nodes.length > 0 && windows.image.kind !== "rehearsal",
      });
    case "kind-default":
      return kindDefault(controlPlane);
  }
}
