import type {
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1Job,
  V1Namespace,
  V1ServiceAccount,
} from "@kubernetes/client-node";
import { stringify } from "yaml";

import { ginkgoArguments, type ConformanceRun } from "./suites.ts";

/** Namespace of the run; the tests also create their own namespaces. */
export const namespace = "kindows-conformance";

/** Name of cluster-wide objects, and of the Job. */
export const name = "kindows-conformance";

/** Names of the container with the tests, and of the one that keeps their results until they are downloaded. */
export const testsContainer = "tests";
export const resultsContainer = "results";

/** Path of the results in both containers. */
export const resultsFolder = "/tmp/results";

const repositoriesFolder = "/etc/kindows-conformance";
const repositoriesFile = "repositories.yaml";
const repositoriesPath = `${repositoriesFolder}/${repositoriesFile}`;

/** Time for pulling images and downloading results, in seconds. */
const marginSeconds = 3600;

interface ConformanceImages {
  /** Kubernetes' conformance image, with `ginkgo` and `e2e.test` in it. */
  readonly tests: string;
  /** An image with `tar` and a command that waits, e.g. agnhost. */
  readonly results: string;
}

/** Kubernetes' own image of a version, given without a leading `v`. */
export function conformanceImage(kubernetesVersion: string): string {
  return `registry.k8s.io/conformance:v${kubernetesVersion}`;
}

export type ConformanceObject =
  V1Namespace | V1ServiceAccount | V1ClusterRoleBinding | V1ConfigMap | V1Job;

/**
 * All objects of a run, in order.
 *
 * @param repositories content of the file behind KUBE_TEST_REPO_LIST; undefined for Kubernetes' own registries.
 */
export function conformanceObjects(
  run: ConformanceRun,
  images: ConformanceImages,
  repositories: string | undefined,
): readonly ConformanceObject[] {
  const metadata = { name, namespace };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    clusterRoleBinding,
    ...(repositories === undefined ? [] : [configMap(repositories)]),
    job(run, images, repositories !== undefined),
  ];
}

function configMap(repositories: string): V1ConfigMap {
  const data = { [repositoriesFile]: repositories };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

const labels = { "app.kubernetes.io/managed-by": "kindows" };

/** The tests create namespaces, roles, nodes' labels and more, so no smaller role is possible. */
const clusterRoleBinding: V1ClusterRoleBinding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name, labels },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ kind: "ServiceAccount", name, namespace }],
};

/** One pod on a Linux node, without retries because partial results are useless. */
function job(run: ConformanceRun, images: ConformanceImages, withRepositories: boolean): V1Job {
  const program = "/usr/local/bin/e2e.test";
  const place = { program, results: resultsFolder, kubeconfig: undefined };
  const results = { name: "results", mountPath: resultsFolder };
  const only = <T>(...wanted: readonly T[]): T[] => (withRepositories ? [...wanted] : []);
  const tests = {
    name: testsContainer,
    image: images.tests,
    command: ["/usr/local/bin/ginkgo", ...ginkgoArguments(run, place)],
    ...(withRepositories && { env: [{ name: "KUBE_TEST_REPO_LIST", value: repositoriesPath }] }),
    volumeMounts: [results, ...only({ name: "repositories", mountPath: repositoriesFolder })],
  };
  const keeper = { name: resultsContainer, image: images.results, args: ["pause"] };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: run.timeoutSeconds + marginSeconds,
      template: {
        metadata: { labels: { ...labels, "kindows.dev/conformance": run.suite.id } },
        spec: {
          restartPolicy: "Never",
          serviceAccountName: name,
          nodeSelector: { "kubernetes.io/os": "linux" },
          tolerations: [{ operator: "Exists" }],
          containers: [tests, { ...keeper, volumeMounts: [results] }],
          volumes: [
            { name: "results", emptyDir: {} },
            ...only({ name: "repositories", configMap: { name } }),
          ],
        },
      },
    },
  };
}

/** The objects as YAML for `kubectl apply`. */
export function objectsText(objects: readonly ConformanceObject[]): string {
  return objects.map((each) => stringify(each, { aliasDuplicateObjects: false })).join("---\n");
}
