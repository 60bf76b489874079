import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { CalicoRelease } from "./release.ts";

/** Namespace, account and Deployment have the operator's own name, as in its manifest. */
export const operatorName = "tigera-operator";

const labels = { "k8s-app": operatorName };

/** The same name in every run, so that objects of a killed run that are not in the state are adopted. */
export const annotations = { "pulumi.com/patchFieldManager": "kindows" };

/** The API server's endpoint for the operator and all that it installs. */
export interface ApiServerEndpoint {
  /** IPv4 address; it is in the API server's certificate. */
  readonly address: string;
  readonly port: number;
}

export function operatorNamespace(): types.input.core.v1.Namespace {
  return {
    metadata: {
      name: operatorName,
      // Its pod shares the node's network.
      labels: { name: operatorName, "pod-security.kubernetes.io/enforce": "privileged" },
      annotations,
    },
  };
}

export function operatorAccount(): types.input.core.v1.ServiceAccount {
  return { metadata: { name: operatorName, namespace: operatorName, annotations } };
}

/**
 * The operator may do everything. Its own manifest lets it bind and escalate roles, which is equivalent, in some 400 lines
 * that change with every version.
 */
export function operatorBinding(): types.input.rbac.v1.ClusterRoleBinding {
  return {
    metadata: { name: operatorName, annotations },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: operatorName, namespace: operatorName }],
  };
}

/**
 * The API server's endpoint for the operator and what it installs. An address, never a name: CoreDNS, which would resolve
 * it, waits for the network. Without it the operator refuses an Installation for Windows.
 */
export function servicesEndpoint(
  variables: pulumi.Input<Readonly<Record<string, string>>>,
): types.input.core.v1.ConfigMap {
  return {
    metadata: { name: "kubernetes-services-endpoint", namespace: operatorName, annotations },
    data: variables,
  };
}

/** The same as environment variables, as Kubernetes sets them in every pod. */
export function endpointVariables({
  address,
  port,
}: ApiServerEndpoint): Readonly<Record<string, string>> {
  return { KUBERNETES_SERVICE_HOST: address, KUBERNETES_SERVICE_PORT: String(port) };
}

/**
 * The operator, as in Calico's manifests/tigera-operator.yaml.
 *
 * It runs on Linux nodes before there is a pod network: on the host's network, and despite all taints.
 */
export function operatorDeployment(release: CalicoRelease): types.input.apps.v1.Deployment {
  const variable = (name: string, value: string): types.input.core.v1.EnvVar => ({ name, value });
  return {
    metadata: { name: operatorName, namespace: operatorName, labels, annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: { name: operatorName } },
      template: {
        metadata: { labels: { name: operatorName, ...labels } },
        spec: {
          serviceAccountName: operatorName,
          nodeSelector: { "kubernetes.io/os": "linux" },
          tolerations: [
            { effect: "NoExecute", operator: "Exists" },
            { effect: "NoSchedule", operator: "Exists" },
          ],
          hostNetwork: true,
          dnsPolicy: "ClusterFirstWithHostNet",
          // As long as it waits for its removals.
          terminationGracePeriodSeconds: 60,
          containers: [
            {
              name: operatorName,
              image: `quay.io/tigera/operator:v${release.operator}`,
              imagePullPolicy: "IfNotPresent",
              command: ["operator"],
              env: [
                variable("WATCH_NAMESPACE", ""),
                { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                variable("OPERATOR_NAME", operatorName),
                variable("TIGERA_OPERATOR_INIT_IMAGE_VERSION", `v${release.operator}`),
              ],
              envFrom: [{ configMapRef: { name: "kubernetes-services-endpoint", optional: true } }],
              volumeMounts: [
                { name: "var-lib-calico", mountPath: "/var/lib/calico", readOnly: true },
              ],
            },
          ],
          volumes: [{ name: "var-lib-calico", hostPath: { path: "/var/lib/calico" } }],
        },
      },
    },
  };
}
