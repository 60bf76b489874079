/** How packets get from node to node. */
export type FlannelBackend = "vxlan" | "host-gw";

/** Windows supports no VNI below 4096 and no other port (flannel's pkg/backend/vxlan/vxlan_windows.go). */
const vxlan = { Type: "vxlan", VNI: 4096, Port: 4789 };

/** Flannel's own configuration, the same on Linux and Windows nodes. */
export function netConf(podCidr: string, backend: FlannelBackend): object {
  return {
    Network: podCidr,
    EnableNFTables: false,
    Backend: backend === "vxlan" ? vxlan : { Type: "host-gw" },
  };
}

/**
 * CNI configuration of Linux nodes. Pods are connected by `ptp`, as with kind's own network, because kind's node image
 * lacks `bridge`, Flannel's default. `ptp` needs a default route; Flannel adds the route to the other nodes' pods.
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

/** Inputs of the CNI configuration of a Windows node; all ranges in CIDR notation, IPv4. */
export interface WindowsCniNetwork {
  readonly backend: FlannelBackend;
  readonly podCidr: string;
  readonly serviceCidr: string;
  /** Range of the nodes' own addresses. */
  readonly nodeCidr: string;
}

/** Name of the pods' network in HNS, as flanneld.exe gives it (vxlan_windows.go, hostgw_windows.go). */
export function flannelHnsNetwork(backend: FlannelBackend): "flannel.4096" | "cbr0" {
  return backend === "vxlan" ? "flannel.4096" : "cbr0";
}

interface EndpointPolicy {
  readonly name: "EndpointPolicy";
  readonly value: { readonly Type: string; readonly Settings: object };
}

const policy = (Type: string, Settings: object): EndpointPolicy => ({
  name: "EndpointPolicy",
  value: { Type, Settings },
});

/**
 * CNI configuration of a Windows node. Flannel's plugin delegates to win-overlay or win-bridge, which name their HNS
 * network after the configuration. containerd requires `apiVersion` 2 (HCN).
 *
 * The policies are those of the CNI project's examples (plugins/main/windows, sample-v2.conf). Traffic to pods and
 * services keeps the pod's address, services are reached through the network itself, and on an overlay each endpoint
 * has the address of its machine. With host-gw, traffic to the nodes keeps the pod's address too.
 *
 * @param nodeIp IPv4 address of the node on the network that it shares with the other nodes.
 */
export function windowsCniConf(network: WindowsCniNetwork, nodeIp: string): object {
  const { backend, podCidr, serviceCidr, nodeCidr } = network;
  const overlay = backend === "vxlan";
  return {
    name: flannelHnsNetwork(backend),
    cniVersion: "1.0.0",
    plugins: [
      {
        type: "flannel",
        capabilities: { portMappings: true, dns: true },
        delegate: {
          type: overlay ? "win-overlay" : "win-bridge",
          apiVersion: 2,
          loopbackDSR: true,
          policies: [
            policy("OutBoundNAT", {
              Exceptions: overlay ? [podCidr, serviceCidr] : [podCidr, serviceCidr, nodeCidr],
            }),
            policy("SDNRoute", { DestinationPrefix: serviceCidr, NeedEncap: true }),
            overlay
              ? policy("ProviderAddress", { ProviderAddress: nodeIp })
              : policy("SDNRoute", { DestinationPrefix: `${nodeIp}/32`, NeedEncap: true }),
          ],
        },
      },
    ],
  };
}
