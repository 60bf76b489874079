import semver from "semver";
import type { ClusterProblem } from "./cluster-problem.ts";

/** How many minor versions a kubelet may be older than the API server: Kubernetes' version skew policy. */
const kubeletMayLag = 3;

/**
 * Whether nodes of a version may join an API server.
 *
 * @param server version of the API server as it says it, e.g. `v1.36.4`.
 * @param nodes version of the nodes, e.g. `1.36.4`.
 */
export function judgeVersion(server: string, nodes: string): ClusterProblem[] {
  const [api, node] = [semver.coerce(server), semver.parse(nodes)];
  if (api === null || node === null) {
    const instead = "Use the kubeconfig of a Kubernetes API server.";
    return [{ subject: "The API server", why: `says the version "${server}"`, instead }];
  }
  const lag = api.minor - node.minor;
  const subject = `kindows:cluster.kubernetesVersion: "${nodes}"`;
  const range = `from ${api.major}.${Math.max(api.minor - kubeletMayLag, 0)} to ${api.major}.${api.minor}`;
  const instead = `Write one ${range}, best "${api.version}".`;
  if (lag < 0) {
    const why = `is newer than the API server, ${api.version}, which Kubernetes does not allow`;
    return [{ subject, why, instead }];
  }
  return api.major !== node.major || lag > kubeletMayLag
    ? [
        {
          subject,
          why: `is ${lag} minor versions older than the API server, ${api.version}; Kubernetes allows ${kubeletMayLag}`,
          instead,
        },
      ]
    : [];
}
