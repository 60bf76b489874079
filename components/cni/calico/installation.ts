/** What of Calico differs from lab to lab. */
export interface CalicoNetworkOptions {
  /** IPv4 range of the cluster's pods in CIDR form: the one pool of addresses. */
  readonly podCidr: string;
  /** IPv4 range of the cluster's services in CIDR form. */
  readonly serviceCidr: string;
  /** With Windows nodes it must be VXLAN. */
  readonly encapsulation: "VXLAN" | "VXLANCrossSubnet";
  /** With Windows nodes it must be Disabled. */
  readonly bgp: "Disabled" | "Enabled";
  /** Largest packet of Linux pods in bytes; undefined: Calico finds it. */
  readonly mtu: number | undefined;
  /** Whether Windows nodes get the network too. */
  readonly windows: boolean;
}

/** Folders on Windows nodes; containerd there is installed with the same ones (components/windows/steps.ts). */
const windowsFolders = {
  cniBinDir: "/opt/cni/bin",
  cniConfigDir: "/etc/cni/net.d",
  cniLogDir: "/var/log/calico/cni",
};

/** An Installation as the operator takes it, as far as it is written here. */
export interface Installation {
  readonly apiVersion: "operator.tigera.io/v1";
  readonly kind: "Installation";
  readonly metadata: {
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * How Calico is installed.
 *
 * The pool is written out with all that the operator would fill in: it stores its defaults in the same list, which as a
 * whole belongs to whoever wrote it last, so that ours and its would otherwise change places for ever.
 */
export function installation(options: CalicoNetworkOptions): Installation {
  const { podCidr, serviceCidr, encapsulation, bgp, mtu, windows } = options;
  return {
    apiVersion: "operator.tigera.io/v1",
    kind: "Installation",
    metadata: {
      name: "default",
      annotations: {
        "pulumi.com/patchFieldManager": "kindows",
        // What the operator fills in itself belongs to it until we want it otherwise.
        "pulumi.com/patchForce": "true",
      },
    },
    spec: {
      variant: "Calico",
      cni: { type: "Calico", ipam: { type: "Calico" } },
      serviceCIDRs: [serviceCidr],
      calicoNetwork: {
        bgp,
        ...(mtu !== undefined && { mtu }),
        windowsDataplane: windows ? "HNS" : "Disabled",
        // The address each node is registered with: nodes have others too, on Windows also those of HNS' own networks.
        nodeAddressAutodetectionV4: { kubernetes: "NodeInternalIP" },
        ipPools: [
          {
            name: "default-ipv4-ippool",
            cidr: podCidr,
            blockSize: 26,
            encapsulation,
            natOutgoing: "Enabled",
            nodeSelector: "all()",
            allowedUses: ["Workload", "Tunnel"],
            assignmentMode: "Automatic",
            disableBGPExport: false,
            disableNewAllocations: false,
          },
        ],
      },
      // The operator refuses them where Windows has no part in it.
      ...(windows && { windowsNodes: windowsFolders }),
    },
  };
}

/** The server of Calico's own API, through which its other resources are read and written. */
export function apiServer(): {
  readonly apiVersion: "operator.tigera.io/v1";
  readonly kind: "APIServer";
  readonly metadata: Installation["metadata"];
  readonly spec: object;
} {
  return {
    apiVersion: "operator.tigera.io/v1",
    kind: "APIServer",
    metadata: { name: "default", annotations: { "pulumi.com/patchFieldManager": "kindows" } },
    spec: {},
  };
}
