import type { FlannelBackend } from "./flannel-config.ts";

/** Inputs of the CNI configuration of a Windows node; all ranges in CIDR notation, IPv4. */
export interface WindowsCniNetwork {
  readonly backend: FlannelBackend;
  /** Range of all pods. */
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
 * CNI configuration of a Windows node: Flannel's plugin delegates to win-overlay or win-bridge, whose networks have the
 * configuration's name. `apiVersion` 2 (HCN) is required by containerd.
 *
 * The policies are those of the CNI project's own examples (plugins/main/windows, sample-v2.conf): traffic to pods and
 * services keeps its pod's address; services are reached through the network itself; and on an overlay each endpoint
 * says which machine it is on. If pods share the nodes' segment, the nodes are also reached without address translation.
 *
 * @param nodeIp IPv4 address of the node, which its packets to other nodes come from.
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
