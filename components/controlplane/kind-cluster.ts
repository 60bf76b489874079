import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { Provider } from "@pulumi/kubernetes/provider.js";
import { isYours, podNetworks, type PodNetworkName } from "../cni/pod-networks.ts";
import type { Facts } from "../facts.ts";
import type { ImageArchive } from "../image-archives/image-archive.ts";
import { hostAction, observedAction } from "../host-action/host-action.ts";
import type { environment as awaiting } from "./actions/await-cluster.ts";
import type { environment as creation } from "./actions/create-kind-cluster.ts";
import type { environment as images } from "./actions/load-images.ts";
import type { environment as trust } from "./actions/trust-certificates.ts";
import type { environment as registryTrust } from "./actions/trust-registry.ts";
import type { CaCertificate } from "../node/ca-certificates.ts";
import { caCertHash } from "../../host/kubernetes/ca-cert-hash.ts";
import {
  controlPlaneNames,
  endpointHost,
  kindContainers,
  linuxWorkerName,
} from "../../config/names.ts";
import type { ControlPlane, HostsEntry } from "./control-plane.ts";
import type { ApiServer } from "../../config/sections/api-server.ts";
import type { KindPatches } from "../../config/sections/kind-patches.ts";
import type { ClusterShape } from "./kind-config.ts";
import { archiveSeconds } from "../image-archives/give-images.ts";
import { apiServerPort, serverAddress } from "../../host/kubernetes/kubeconfig.ts";
import type { environment } from "./actions/add-linux-worker.ts";
import type { Worker } from "./worker-container.ts";

/** `nodeImage` must be of the Kubernetes version. */
export interface KindClusterArgs extends Pick<
  ControlPlane,
  "kubernetesVersion" | "podCidr" | "serviceCidr"
> {
  /** Name of the kind cluster, e.g. `kindows-rehearsal`; its containers' names start with it. */
  readonly name: string;
  /** kind node image: an official one by digest, or the one built on this host. */
  readonly nodeImage: string;
  /** Control plane nodes: 1, or 3 behind a load balancer. */
  readonly controlPlanes: 1 | 3;
  /** Names of the Linux workers, without the cluster's name. */
  readonly workers: readonly string[];
  /** Name of the Docker network. Machines on its segment reach the containers directly at their addresses. */
  readonly network: pulumi.Input<string>;
  /**
   * The pod network: the node image's own, or one that is installed later. Nodes are Ready once they have it. Changing
   * it replaces the cluster, because the old network leaves things on the nodes that would get in the way.
   */
  readonly cni: PodNetworkName;
  /** Parts of kind's configuration. A change replaces the cluster. Default: none. */
  readonly kindPatches?: KindPatches | undefined;
  /** How other computers reach the API server. A change replaces the cluster. Default: not at all. */
  readonly apiServer?: ApiServer | undefined;
  /** Archives of images that the nodes have before the first pod that needs them. Default: none. */
  readonly imageArchives?: readonly ImageArchive[];
  /** Certificates that the nodes trust besides those of their system. Default: none. */
  readonly certificates?: readonly CaCertificate[];
  /** Address and port at which the nodes find the lab's registry. Default: it has none. */
  readonly registry?: pulumi.Input<string> | undefined;
}

/** The actions' own limits are shorter, so that their errors say what they waited for. */
const clusterTimeouts = { create: "20m", update: "20m", delete: "20m" };

/** Enough to pull the image of a worker, to start systemd, and to join, in seconds. */
const startSeconds = 720;

/** Longest wait for nodes to be Ready, in seconds; longer if the pod network's images have to be pulled first. */
const readySeconds = (cni: PodNetworkName): number => (isDefault(cni) ? 300 : 1200);

const isDefault = (cni: PodNetworkName): boolean => podNetworks[cni].linuxNodes === "kind";

/**
 * A Kubernetes cluster in containers on this host, made by kind: control planes, and Linux workers that can be added
 * and removed later.
 *
 * Not responsible for the network, nor for what runs in the cluster.
 */
export class KindCluster extends pulumi.ComponentResource implements ControlPlane {
  readonly kubeconfig: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  readonly caCertHash: pulumi.Output<string>;
  readonly kubernetesVersion: string;
  readonly hostsEntries: pulumi.Output<HostsEntry[]>;
  readonly provider: Provider;
  readonly resource: pulumi.Resource;
  readonly podCidr: string;
  readonly serviceCidr: string;
  /** Names of the control planes and workers. */
  readonly nodeNames: readonly string[];
  /** For `dependsOn`: workers are Ready, and also control planes, unless the pod network waits for them itself. */
  readonly ready: pulumi.Resource[];

  constructor(name: string, args: KindClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    const {
      nodeImage: image,
      podCidr,
      serviceCidr,
      cni,
      imageArchives = [],
      certificates = [],
      registry,
    } = args;
    const controlPlanes = controlPlaneNames(args.name, args.controlPlanes);
    const common = { name: args.name, image, podCidr, serviceCidr };
    const facts: Facts<"kindows:controlplane:KindCluster"> = {
      ...common,
      controlPlanes,
      ...(isYours(cni) && { awaitsPodNetwork: true }),
    };
    super("kindows:controlplane:KindCluster", name, { facts }, opts);
    // The order of the keys matters: it is part of a trigger, and another order would replace existing clusters.
    const shape: ClusterShape = {
      name: args.name,
      image,
      controlPlanes: args.controlPlanes,
      podCidr,
      serviceCidr,
      defaultCni: isDefault(cni),
      ...(!isDefault(cni) && { cni }),
      ...(args.kindPatches && { patches: args.kindPatches }),
      ...(args.apiServer && { apiServer: args.apiServer }),
    };
    const description = pulumi.output({ ...shape, network: args.network });
    const containers = kindContainers(args.name, args.controlPlanes);
    const cluster = observedAction<typeof creation>(
      name,
      {
        create: "controlplane/create-kind-cluster",
        read: ["controlplane/find-containers", ...containers].join(" "),
        delete: "controlplane/delete-kind-cluster",
        environment: { CLUSTER: description },
        // kind cannot change an existing cluster, so any change replaces it.
        triggers: [pulumi.jsonStringify(description)],
      },
      {
        parent: this,
        additionalSecretOutputs: ["stdout"],
        deleteBeforeReplace: true,
        customTimeouts: clusterTimeouts,
      },
    );
    const host = endpointHost(args.name, args.controlPlanes);
    this.kubeconfig = pulumi.secret(cluster.stdout);
    this.endpoint = pulumi.output(`${host}:${apiServerPort}`);
    // Neither is secret, and as secrets they would make everything derived from them secret too.
    this.caCertHash = pulumi.unsecret(this.kubeconfig.apply(caCertHash));
    this.hostsEntries = pulumi.unsecret(
      this.kubeconfig.apply((kubeconfig) => [{ address: serverAddress(kubeconfig), name: host }]),
    );
    this.kubernetesVersion = args.kubernetesVersion;
    this.nodeNames = [
      ...controlPlanes,
      ...args.workers.map((worker) => linuxWorkerName(args.name, worker)),
    ];
    this.podCidr = podCidr;
    this.serviceCidr = serviceCidr;
    this.resource = cluster;
    const { kubeconfig } = this;
    const seconds = readySeconds(cni);
    const archives = [...imageArchives];
    const trusted = [...certificates];
    const workers = args.workers.map((each) => ({
      label: each,
      worker: {
        name: linuxWorkerName(args.name, each),
        cluster: args.name,
        image,
        network: args.network,
        endpoint: `${host}:${apiServerPort}`,
        ...(!isYours(cni) && { readySeconds: seconds }),
        ...(archives.length > 0 && { imageArchives: archives }),
        ...(trusted.length > 0 && { certificates: trusted }),
        ...(registry !== undefined && { registry }),
      },
    }));
    const loading = `${String(startSeconds + archives.length * archiveSeconds)}s`;
    // Before images are pulled.
    const trusting =
      trusted.length === 0
        ? []
        : [
            new local.Command(
              `${name}-certificates`,
              hostAction<typeof trust>({
                create: "controlplane/trust-certificates",
                delete: "controlplane/trust-certificates --none",
                environment: {
                  TRUST: pulumi.output({
                    cluster: args.name,
                    controlPlanes,
                    workers: workers.map(({ worker }) => worker),
                    certificates: trusted,
                  }),
                },
              }),
              {
                parent: this,
                dependsOn: cluster,
                deletedWith: cluster,
                replaceWith: [cluster],
                customTimeouts: clusterTimeouts,
              },
            ),
          ];
    if (registry !== undefined) {
      new local.Command(
        `${name}-registry`,
        hostAction<typeof registryTrust>({
          create: "controlplane/trust-registry",
          delete: "controlplane/trust-registry --none",
          environment: {
            REGISTRY: pulumi.output({ cluster: args.name, controlPlanes, address: registry }),
          },
        }),
        { parent: this, dependsOn: cluster, deletedWith: cluster, replaceWith: [cluster] },
      );
    }
    const loaded =
      archives.length === 0
        ? trusting
        : [
            new local.Command(
              `${name}-images`,
              hostAction<typeof images>({
                create: "controlplane/load-images",
                environment: {
                  IMAGES: pulumi.output({
                    controlPlanes,
                    workers: workers.map(({ worker }) => worker),
                    archives,
                  }),
                },
              }),
              {
                parent: this,
                dependsOn: [cluster, ...trusting],
                deletedWith: cluster,
                replaceWith: [cluster],
                customTimeouts: { create: loading, update: loading },
              },
            ),
          ];
    this.provider = new Provider(
      name,
      // The identifier keeps objects in the cluster from being replaced when only the kubeconfig changes.
      // Upserting adopts objects that a killed run created and did not record in the state.
      {
        kubeconfig: this.kubeconfig,
        clusterIdentifier: args.name,
        upsertExistingObjects: true,
        deleteUnreachable: true,
      },
      // What it creates may need the images.
      { parent: this, dependsOn: loaded },
    );

    const joined = workers.map(({ label, worker }) => {
      const workerArgs = { worker, kubeconfig, cluster, dependsOn: [cluster, ...loaded] };
      return new LinuxWorker(`${name}-${label}`, workerArgs, { parent: this }).resource;
    });
    // A resource of its own, so that joins need not wait for the control planes' pods.
    const awaitsControlPlanes = podNetworks[cni].linuxNodes !== "awaited" && !isYours(cni);
    const ready = awaitsControlPlanes
      ? [
          new local.Command(
            `${name}-ready`,
            hostAction<typeof awaiting>({
              create: "controlplane/await-cluster",
              environment: {
                KUBECONFIG_CONTENT: kubeconfig,
                CLUSTER: { controlPlanes, timeoutSeconds: seconds },
              },
            }),
            { parent: this, dependsOn: cluster, deletedWith: cluster, replaceWith: [cluster] },
          ),
        ]
      : [];
    this.ready = [...ready, ...joined];
    this.registerOutputs({ endpoint: this.endpoint, kubeconfig });
  }
}

interface LinuxWorkerArgs {
  readonly worker: Omit<Worker, "network" | "registry"> & {
    readonly network: pulumi.Input<string>;
    readonly registry?: pulumi.Input<string>;
  };
  readonly kubeconfig: pulumi.Output<string>;
  /** The cluster's own resource. A worker is deleted and replaced with it. */
  readonly cluster: pulumi.Resource;
  /** What a worker needs before it joins: the cluster, and images. */
  readonly dependsOn: readonly pulumi.Resource[];
}

/**
 * A Linux worker in a container, joined to a running kind cluster. kind itself creates workers only together with the
 * cluster; this one can be added and removed without touching anything else.
 */
class LinuxWorker extends pulumi.ComponentResource {
  /** For `dependsOn`: the node is Ready, or joined if nothing waits for that. */
  readonly resource: pulumi.Resource;

  constructor(name: string, args: LinuxWorkerArgs, opts?: pulumi.ComponentResourceOptions) {
    const { worker, cluster, dependsOn } = args;
    const facts: Facts<"kindows:controlplane:LinuxWorker"> = { name: worker.name };
    super("kindows:controlplane:LinuxWorker", name, { facts }, opts);
    const archives = worker.imageArchives?.length ?? 0;
    const limit = `${String(startSeconds + archives * archiveSeconds + (worker.readySeconds ?? 0))}s`;
    this.resource = observedAction<typeof environment>(
      name,
      {
        create: "controlplane/add-linux-worker",
        read: `controlplane/find-containers ${worker.name}`,
        delete: "controlplane/remove-linux-worker",
        environment: { KUBECONFIG_CONTENT: args.kubeconfig, WORKER: pulumi.output(worker) },
        triggers: [worker.image],
      },
      {
        parent: this,
        dependsOn: [...dependsOn],
        deletedWith: cluster,
        replaceWith: [cluster],
        deleteBeforeReplace: true,
        customTimeouts: { create: limit, update: limit, delete: "5m" },
      },
    );
    this.registerOutputs({ nodeName: worker.name });
  }
}
