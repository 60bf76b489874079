/** How packets get from node to node. */
export type FlannelBackend = "vxlan" | "host-gw";

/** Windows supports no VNI below 4096 and no other port (flannel's pkg/backend/vxlan/vxlan_windows.go). */
const vxlan = { Type: "vxlan", VNI: 4096, Port: 4789 };

/** Flannel's own configuration, the same on all nodes of both systems. */
export function netConf(podCidr: string, backend: FlannelBackend): object {
  return {
    Network: podCidr,
    EnableNFTables: false,
    Backend: backend === "vxlan" ? vxlan : { Type: "host-gw" },
  };
}

/**
 * CNI configuration of Linux nodes. Pods are connected by `ptp`, as with kind's own network: kind's node image has no
 * `bridge`, which is Flannel's default. This needs a default route; Flannel adds the one to the other nodes' pods.
 */
export function cniConf(): object {
  return {
    name: "cbr0",
    cniVersion: "0.3.1",
    plugins: [
      {
        type: "flannel",
        ipam: { routes: [{ dst: "0.0.0.0/0" }] },
        delegate: { type: "ptp" },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}
