/** Calico settings that differ between labs. */
export interface CalicoNetworkOptions {
  /** IPv4 range of the cluster's pods in CIDR form: the one pool of addresses. */
  readonly podCidr: string;
  /** IPv4 range of the cluster's services in CIDR form. */
  readonly serviceCidr: string;
  /** With Windows nodes it must be VXLAN. */
  readonly encapsulation: "VXLAN" | "VXLANCrossSubnet";
  /** With Windows nodes it must be Disabled. */
  readonly bgp: "Disabled" | "Enabled";
  /** MTU of Linux pods in bytes; undefined: Calico detects it. */
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

/** The fields of an Installation that are set here. */
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
 * Calico's Installation.
 * The pool has all fields that the operator would default: it stores its defaults in the same list, which as a whole
 * belongs to the last writer, so that the operator and this program would otherwise overwrite each other for ever.
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
        // Fields that the operator defaults belong to it unless they are set here.
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
        // The address that each node is registered with: nodes have others too, on Windows also those of HNS networks.
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
      // The operator refuses them without Windows.
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
