/** Address of the tested cluster's API server, in a network namespace of the tests' own. */
export const clusterAddress = "192.168.250.1";

/** Name by which nodes know it. */
export const clusterName = "kindows-tested-control-plane";

/** Address of the tested Windows node. */
export const nodeAddress = "192.168.250.11";
