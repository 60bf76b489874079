import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ApiextensionsV1Api,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  PatchStrategy,
  setHeaderOptions,
  type V1CustomResourceDefinition,
  type V1Deployment,
  type V1Pod,
} from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";

import { installationObjects } from "../../components/cni/calico/installation.ts";
import { definitionsName } from "../../components/cni/calico/definitions-artifact.ts";
import { calicoRelease } from "../../components/cni/calico/release.ts";
import { defaultCalico } from "../../host/versions.ts";
import { runAction } from "../unit/controlplane/run-action.ts";
import { dnsServer, ranges } from "./flannel-node.ts";
import { type TestCluster, waitFor } from "./test-cluster.ts";
import { clusterAddress, testPrograms } from "./test-programs.ts";

const operatorNamespace = "tigera-operator";
export const calicoNamespace = "calico-system";
const typha = "calico-typha";

/** Longest wait for an object of the operator's, which starts anew when it lacks something. */
const operatorSeconds = 120;

/**
 * The part of Calico's own API that `up` writes: objects of their own here, which Calico's API server serves in a lab. The
 * operator makes nothing for Windows before it reads there that each block of addresses belongs to one node.
 */
const ownApi = { group: "projectcalico.org", version: "v3" };
/** As Calico's programs read its objects. */
const stored = { group: "crd.projectcalico.org", version: "v1" };
const ownKinds = {
  ipamconfigurations: "IPAMConfiguration",
  felixconfigurations: "FelixConfiguration",
};

function ownDefinition([plural, kind]: readonly [string, string]): V1CustomResourceDefinition {
  const anything = { type: "object", x_kubernetes_preserve_unknown_fields: true };
  const { group, version: name } = ownApi;
  const schema = { openAPIV3Schema: anything };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: "Cluster", names: { plural, kind } },
      versions: [{ name, served: true, storage: true, schema }],
    },
  };
}

/** Calico's operator and Typha, as programs of the cluster, and what they make of our Installation. */
export class CalicoOperator {
  readonly #core: CoreV1Api;
  readonly #custom: CustomObjectsApi;

  constructor(private readonly cluster: TestCluster) {
    this.#core = cluster.makeClient(CoreV1Api);
    this.#custom = cluster.makeClient(CustomObjectsApi);
  }

  /** Starts the operator with the settings that `up` makes for a stack with Windows nodes. */
  async start(): Promise<void> {
    await this.#define();
    await this.#configure();
    const core = this.#core;
    const namespace = operatorNamespace;
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    const endpoint = { KUBERNETES_SERVICE_HOST: clusterAddress, KUBERNETES_SERVICE_PORT: "6443" };
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: "kubernetes-services-endpoint" }, data: endpoint },
    });
    await core.createNamespacedService({
      namespace: "kube-system",
      body: {
        metadata: { name: "kube-dns" },
        spec: { clusterIP: dnsServer, ports: [{ port: 53, protocol: "UDP" }] },
      },
    });
    const { podCidr, serviceCidr } = ranges;
    const { Installation } = installationObjects({
      ...{ podCidr, serviceCidr, encapsulation: "VXLAN", bgp: "Disabled", mtu: undefined },
      windows: true,
    });
    await this.#create("operator.tigera.io", "v1", "installations", Installation);
    const release = calicoRelease(defaultCalico);
    await this.cluster.run(
      join(testPrograms().calico?.linux ?? "", "bin/operator"),
      ["-enable-leader-election=false"],
      {
        ...{ OPERATOR_NAME: operatorNamespace, WATCH_NAMESPACE: "" },
        TIGERA_OPERATOR_INIT_IMAGE_VERSION: `v${release.operator}`,
        ...endpoint,
      },
    );
  }

  /** Sets what `up` does in Calico's own API, where Calico's programs read it as its API server stores it. */
  async #configure(): Promise<void> {
    const { exitCode, stderr } = await runAction("cni/actions/configure-calico", {
      KUBECONFIG_CONTENT: this.cluster.kubeconfig,
      CALICO: JSON.stringify({ felix: {}, timeoutSeconds: operatorSeconds }),
    });
    assert.equal(exitCode, 0, stderr);
    const written = { ...ownApi, plural: "ipamconfigurations", name: "default" };
    const { spec } = (await this.#custom.getClusterCustomObject(written)) as { spec: object };
    await this.create("ipamconfigs", "IPAMConfig", "default", spec);
  }

  /** Creates an object of Calico's own, as it is stored. */
  async create(plural: string, kind: string, name: string, spec: object): Promise<void> {
    const { group, version } = stored;
    const apiVersion = `${group}/${version}`;
    await this.#create(group, version, plural, { apiVersion, kind, metadata: { name }, spec });
  }

  /** The objects of one of Calico's own kinds, as they are stored, by their names. */
  async list<Spec>(plural: string): Promise<Readonly<Record<string, Spec>>> {
    const { items } = (await this.#custom.listClusterCustomObject({ ...stored, plural })) as {
      items: readonly { readonly metadata: { readonly name: string }; readonly spec: Spec }[];
    };
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec]));
  }

  /**
   * Starts Typha on a Linux node that only exists by name, with the operator's certificates and variables. Its pod there is
   * said to run, so that the Service has an endpoint.
   */
  async startTypha(node: string): Promise<void> {
    const { spec } = await this.#made("Typha's Deployment", () =>
      this.cluster
        .makeClient(AppsV1Api)
        .readNamespacedDeployment({ name: typha, namespace: calicoNamespace }),
    );
    const { containers, volumes = [] } = spec?.template.spec ?? { containers: [] };
    const [{ env = [], volumeMounts = [] } = {}] = containers;
    const folder = join(this.cluster.folder, "typha");
    for (const { name, mountPath } of volumeMounts) {
      const { configMap, secret } = volumes.find((each) => each.name === name) ?? {};
      await mkdir(join(folder, mountPath), { recursive: true });
      for (const [file, content] of Object.entries(await this.#files(configMap, secret))) {
        await writeFile(join(folder, mountPath, file), content);
      }
    }
    const variables = env.flatMap(({ name, value }) =>
      value === undefined
        ? []
        : [[name, value.startsWith("/") ? join(folder, value) : value] as const],
    );
    await this.cluster.run(
      join(testPrograms().calico?.linux ?? "", "bin/calico-typha"),
      [],
      Object.fromEntries(variables),
    );
    const pod = await this.place(typha, node);
    await this.#core.patchNamespacedPodStatus(
      {
        ...{ name: pod, namespace: calicoNamespace },
        body: {
          status: {
            phase: "Running",
            ...{ podIP: clusterAddress, podIPs: [{ ip: clusterAddress }] },
            conditions: [{ type: "Ready", status: "True" }],
          },
        },
      },
      setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
    );
  }

  /** Gives a node the pod that a controller has made with this label, as there is no scheduler. @returns the pod's name */
  async place(label: string, node: string): Promise<string> {
    const { metadata } = await this.#made(`a pod ${label}`, async () => {
      const { items } = await this.#core.listNamespacedPod({
        namespace: calicoNamespace,
        labelSelector: `k8s-app=${label}`,
      });
      const waiting = items.find(({ spec }) => spec?.nodeName === undefined);
      if (waiting === undefined) throw new Error(`there is no pod ${label} without a node`);
      return waiting;
    });
    const name = metadata?.name ?? "";
    await this.#core.createNamespacedPodBinding({
      ...{ name, namespace: calicoNamespace },
      body: { metadata: { name }, target: { kind: "Node", name: node } },
    });
    return name;
  }

  pod(name: string): Promise<V1Pod> {
    return this.#core.readNamespacedPod({ name, namespace: calicoNamespace });
  }

  async #made<T extends V1Deployment | V1Pod>(what: string, read: () => Promise<T>): Promise<T> {
    let made: T | undefined;
    await waitFor(
      what,
      async () => {
        made = await read().catch(async (error: unknown) => {
          throw new Error(`${String(error)}\n${await this.cluster.log("operator")}`);
        });
        return true;
      },
      operatorSeconds,
    );
    return made as T;
  }

  async #files(
    configMap: { readonly name?: string } | undefined,
    secret: { readonly secretName?: string } | undefined,
  ): Promise<Readonly<Record<string, string | Buffer>>> {
    const namespace = calicoNamespace;
    if (configMap?.name !== undefined) {
      const { data } = await this.#core.readNamespacedConfigMap({
        namespace,
        name: configMap.name,
      });
      return data ?? {};
    }
    if (secret?.secretName === undefined) return {};
    const { data } = await this.#core.readNamespacedSecret({ namespace, name: secret.secretName });
    const decoded = Object.entries(data ?? {}).map(([name, text]) => [
      name,
      Buffer.from(text, "base64"),
    ]);
    return Object.fromEntries(decoded) as Record<string, Buffer>;
  }

  async #create(group: string, version: string, plural: string, body: object): Promise<void> {
    await this.#custom.createClusterCustomObject({ group, version, plural, body });
  }

  async #define(): Promise<void> {
    const file = join(testPrograms().calicoDefinitions, definitionsName);
    const all = parseAllDocuments(await readFile(file, "utf8")).map(
      (each) => each.toJS() as object,
    );
    // Not by its own client, which loses fields whose names it does not know.
    for (const body of all) {
      await this.#create("apiextensions.k8s.io", "v1", "customresourcedefinitions", body);
    }
    const api = this.cluster.makeClient(ApiextensionsV1Api);
    for (const body of Object.entries(ownKinds).map(ownDefinition)) {
      await api.createCustomResourceDefinition({ body });
    }
    await waitFor("Calico's definitions", async () => {
      const { items } = await api.listCustomResourceDefinition();
      return items.every(({ status }) =>
        status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"),
      );
    });
  }
}
