import semver from "semver";
import { leastKubernetes } from "../../../host/versions.ts";
import type { Findings } from "./findings.ts";

/** How many minor versions a kubelet may be older than the API server: Kubernetes' version skew policy. */
const kubeletMayLag = 3;

/** Checks whether nodes of a version can join an API server of another. */
export function checkVersion(server: string, nodes: string, findings: Findings): void {
  const [api, node] = [semver.coerce(server), semver.parse(nodes)];
  if (api === null || node === null) {
    const instead = "Use the kubeconfig of a Kubernetes API server.";
    findings.report("The API server", `reports the version "${server}"`, instead);
    return;
  }
  if (semver.lt(api, leastKubernetes)) {
    const why = `is Kubernetes ${api.version}; machines join with ${leastKubernetes} or newer, and Kubernetes does not allow nodes newer than the API server`;
    findings.report("The API server", why, `Upgrade the cluster to ${leastKubernetes} or newer.`);
    return;
  }
  const lag = api.minor - node.minor;
  const subject = `kindows:cluster.kubernetesVersion: "${nodes}"`;
  const oldest = Math.max(api.minor - kubeletMayLag, semver.minor(leastKubernetes));
  const range = `from ${api.major}.${oldest} to ${api.major}.${api.minor}`;
  const instead = `Write one ${range}, best "${api.version}".`;
  if (lag < 0) {
    const why = `is newer than the API server, ${api.version}, which Kubernetes does not allow`;
    findings.report(subject, why, instead);
  } else if (api.major !== node.major || lag > kubeletMayLag) {
    const why = `is ${lag} minor versions older than the API server, ${api.version}; Kubernetes allows ${kubeletMayLag}`;
    findings.report(subject, why, instead);
  }
}
